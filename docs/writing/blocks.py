"""Fenced blocks of a Markdown page: what language, which title, which lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPEN = re.compile(r"```(\w+)(?:\s+title=\"([^\"]+)\")?\s*")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: `lines` are `first` to `last` (from 0, half-open) of its page."""

    language: str
    title: str | None
    lines: tuple[str, ...]
    first: int

    @property
    def last(self) -> int:
        return self.first + len(self.lines)

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


def blocks(text: str) -> Iterator[Block]:
    """Every fenced block that names its language, in order.

    >>> [block.lines for block in blocks("# A page\\n```console\\n$ gradcli -V\\n```\\n")]
    [('$ gradcli -V',)]
    """
    lines = text.split("\n")
    index = 0
    while index < len(lines):
        opened = _OPEN.fullmatch(lines[index])
        index += 1
        if opened is None:
            continue
        first = index
        while lines[index] != "```":
            index += 1
            if index == len(lines):
                raise ValueError(f"line {first}: this block is not closed")
        yield Block(opened[1], opened[2], tuple(lines[first:index]), first)
        index += 1


def prose(text: str) -> str:
    """The page without its fenced blocks, line by line where it was."""
    lines = text.split("\n")
    for block in blocks(text):
        lines[block.first - 1 : block.last + 1] = [""] * (len(block.lines) + 2)
    return "\n".join(lines)
