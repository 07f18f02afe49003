"""What surrounds a run: streams, terminals, colour, width, encoding, in one object that tests can set."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TextIO

from gradcli.render import fitted


@dataclass(frozen=True, slots=True)
class Environment:
    """Standard streams and the variables that say how to write to them."""

    stdin: TextIO | None = field(default_factory=lambda: sys.stdin)
    stdout: TextIO = field(default_factory=lambda: sys.stdout or _nowhere())
    stderr: TextIO = field(default_factory=lambda: sys.stderr or _nowhere())
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def terminal(self, stream: TextIO | None) -> bool:
        """Whether a stream is a terminal; one that was closed is none."""
        try:
            return stream is not None and stream.isatty()
        except ValueError:
            return False

    def color(self, stream: TextIO, asked: str) -> bool:
        """Whether to colour: asked for, or on a terminal that can, where NO_COLOR is not set."""
        if asked != "auto":
            return asked == "always"
        if self.variables.get("NO_COLOR") or self.variables.get("TERM", "") in {"dumb", "unknown"}:
            return False
        return self.terminal(stream)

    def width(self, stream: TextIO) -> int | None:
        """Columns of a terminal; None off a terminal, where lines may be as long as they need."""
        if not self.terminal(stream):
            return None
        columns = self.variables.get("COLUMNS", "")
        return int(columns) if columns.isdigit() and int(columns) else shutil.get_terminal_size().columns

    def height(self, stream: TextIO) -> int | None:
        """Lines of a terminal; None off a terminal."""
        if not self.terminal(stream):
            return None
        lines = self.variables.get("LINES", "")
        return int(lines) if lines.isdigit() and int(lines) else shutil.get_terminal_size().lines

    def plain(self, stream: TextIO) -> bool:
        """Whether a stream's encoding lacks box-drawing characters."""
        try:
            "┏━│·…×±²∂".encode(stream.encoding or "ascii")
        except (UnicodeEncodeError, LookupError):
            return True
        return False


def _nowhere() -> TextIO:
    """Where output goes that was closed by the caller (`>&-`): Python then has no stream at all."""
    return open(os.devnull, "w", encoding="utf-8")


def write(stream: TextIO, text: str) -> None:
    """Write text; what the stream's encoding lacks is written as an escape."""
    try:
        stream.write(text)
    except UnicodeEncodeError:
        stream.write(fitted(text, encoding_of(stream)))


def encoding_of(stream: TextIO) -> str:
    """The encoding of a stream; ASCII where it does not say."""
    return stream.encoding or "ascii"
