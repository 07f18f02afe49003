"""Pieces of Markdown: code in backquotes, and tables whose bars stand where they should."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def code(text: str) -> str:
    """Text as code; a text with backquotes gets two of them around it."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def plain(text: str) -> str:
    """Text whose stars, lines below and angles mean nothing to Markdown."""
    return "".join(f"\\{letter}" if letter in "*_<[" else letter for letter in text)


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
