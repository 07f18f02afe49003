"""Formats: each file turns a result into lines of text. Adding one is adding its file and its name here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

_FILES = {"json": "jsonlines"}


@dataclass(frozen=True, slots=True)
class Style:
    """How to show: significant digits (None: all that the dtype has), width (None: as needed), colour.

    `verbose` shows large tensors whole, `ascii` draws without box characters, `quiet` leaves notes out. `encoding` is
    that of the stream, `height` the lines of the terminal (None: no terminal).
    """

    precision: int | None = None
    width: int | None = None
    color: bool = False
    verbose: bool = False
    ascii: bool = False
    quiet: bool = False
    encoding: str = "utf-8"
    height: int | None = None

    def shown(self, text: str) -> str:
        """Text that cannot steer a terminal, in characters that the stream has; done before columns are counted."""
        return fitted(escaped(text), self.encoding)


def pieces(name: str, result: Any, style: Style) -> Iterator[str]:
    """The text of a result in a format, in pieces, so that large tensors are never held as text at once."""
    return import_module(f"{__name__}.{_FILES.get(name, name)}").pieces(result, style)  # type: ignore[no-any-return]


def ready(name: str) -> None:
    """Raise GradcliError where a format needs what is not installed; asked before anything is computed."""
    if name in _NEEDING:
        import_module(f"{__name__}.{name}").ready()


_NEEDING = frozenset({"plot"})


def escaped(text: str) -> str:
    """Text of users and files with control characters made visible, so that none of it can steer a terminal."""
    return "".join(c if c.isprintable() else "\\n" if c == "\n" else c.encode("unicode_escape").decode() for c in text)


_PLAIN = str.maketrans({"·": "-", "…": "...", "×": "x", "±": "+-", "µ": "u"})


def fitted(text: str, encoding: str) -> str:
    """Text in characters that an encoding has: plain ones for a few that it lacks, escapes for the others."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text
