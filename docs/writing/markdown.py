"""Pieces of Markdown: code in backquotes, and tables whose bars stand where they should."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence


def code(text: str) -> str:
    """Text as code; a text with backquotes gets two of them around it."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def plain(text: str) -> str:
    """Text whose stars, lines below and angles mean nothing to Markdown; code in backquotes stays as it is."""
    parts = re.split("(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([*_<[])", r"\\\1", part) for part in parts)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table.

    >>> list(table(("a", "b"), [("1", "x | y")]))
    ['| a | b |', '| --- | --- |', '| 1 | x \\\\| y |']
    """
    yield _row(headings)
    yield _row(["---"] * len(headings))
    for row in rows:
        yield _row([cell.replace("|", "\\|") for cell in row])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
