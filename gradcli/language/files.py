"""A file as a value: `@w.npy`, `@w.npz:key`, `@w.pt:layer.weight`, `@-`. What is written, not what the file holds."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from gradcli.errors import GradcliError, Span

SUFFIXES = (".npy", ".npz", ".pt", ".pth", ".safetensors", ".csv")
STANDARD_INPUT = "-"

_SUFFIX = "|".join(re.escape(one) for one in SUFFIXES)
_KEYED = re.compile(rf"(.*?(?:{_SUFFIX})|-):(.*)", re.DOTALL | re.IGNORECASE)
_BARE = re.compile(rf"[^\s\[\](),]+(?:{_SUFFIX})(?::\S+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FileValue:
    """A path as it is written, and the key of what is meant in it."""

    path: str
    key: str | None = None

    @property
    def suffix(self) -> str:
        """The end of the path that says the format: .npy; nothing for standard input."""
        return os.path.splitext(self.path)[1].lower()


@dataclass(frozen=True, slots=True)
class Loading:
    """How a PyTorch script gets a file's tensor: its imports, an expression, and the dtype of what that gives."""

    imports: tuple[str, ...]
    code: str
    dtype: str


def is_file(text: str) -> bool:
    """Whether a value is written as a file."""
    return text.lstrip().startswith("@")


def read_file_value(text: str) -> FileValue:
    """The path and the key of `@path:key`; a colon begins a key only after a known suffix, so that C:\\w.npy is a path.

    >>> read_file_value("@w.pt:layer.weight")
    FileValue(path='w.pt', key='layer.weight')
    """
    written = text.strip()[1:]
    match = _KEYED.fullmatch(written)
    path, key = (match[1], match[2]) if match else (written, None)
    if not path or key == "":
        message = "no file is named after @" if not path else f"no key is named after {path}:"
        span = Span(0, len(text))
        raise GradcliError(
            "file", message, source=text, span=span, hint="such as @w.npy or @w.npz:key", what="the value"
        )
    return FileValue(path, key)


def looks_like_file(text: str) -> bool:
    """Whether a text would be a file if only @ stood before it."""
    return _BARE.fullmatch(text.strip()) is not None
