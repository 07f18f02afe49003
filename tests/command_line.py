"""A command line answered, in this process or in one of its own, and everything that it said."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from unittest import mock

from gradcli.__main__ import answer


@dataclass(frozen=True)
class Said:
    """The exit code of a command line, and what it wrote."""

    code: int
    out: str
    err: str


class _Stream(io.TextIOWrapper):
    """A standard stream in memory, a terminal where a test says so."""

    def __init__(self, text: bytes, encoding: str, terminal: bool) -> None:
        super().__init__(io.BytesIO(text), encoding=encoding, newline="\n")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def said(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)  # type: ignore[attr-defined, no-any-return]


def ask(
    *words: str,
    stdin: str | bytes = "",
    terminal: bool = False,
    columns: int = 80,
    encoding: str = "utf-8",
    variables: Mapping[str, str] | None = None,
) -> Said:
    """Answer a command line here: the streams, the width and the environment variables are the test's own."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = (_Stream(b"", encoding, terminal) for _ in range(2))
    kept = {name: value for name, value in os.environ.items() if name not in _STEERING}
    around = {**kept, "COLUMNS": str(columns), "TERM": "xterm", **(variables or {})}
    with _streams(_Stream(given, "utf-8", False), out, err), mock.patch.dict(os.environ, around, clear=True):
        code = answer(list(words))
    return Said(int(code), out.said(), err.said())


# What would colour, widen or recode the output of a test by accident.
_STEERING = frozenset({"NO_COLOR", "FORCE_COLOR", "CLICOLOR", "PYTHONIOENCODING", "LC_ALL", "PYTHONUTF8", "LINES"})


@contextlib.contextmanager
def _streams(stdin: Any, stdout: Any, stderr: Any) -> Iterator[None]:
    with (
        mock.patch.object(sys, "stdin", stdin),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        yield


def python(code: str, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own."""
    return process(sys.executable, "-c", code, *words, **options)


def gradcli(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command line in a process of its own, as users do."""
    return process(sys.executable, "-m", "gradcli", *words, **options)


def process(
    *words: str, variables: Mapping[str, str] | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in _STEERING}
    settings: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 120, "encoding": "utf-8", **options}
    return subprocess.run(words, env={**kept, **(variables or {})}, check=False, **settings)
