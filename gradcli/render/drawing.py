"""A fitted table as lines in Rich's box.

Rich's own Table measures, pads and wraps every cell anew: half a second for the list of all functions, and this takes
a hundredth of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich import box
from rich.cells import cell_len

from gradcli.render.grid import Grid, Lines

Line = list[tuple[str, str]]
"""Pieces of text, each with the style that Rich paints it in."""


def drawn(grid: Grid, title: str, ascii: bool) -> Iterator[Line]:
    """The lines of a table: title, heading, and as many for each row as its tallest cell has."""
    frame = box.ASCII if ascii else box.HEAVY_HEAD
    widths, whole = grid.widths(), grid.width()
    full = [width + 2 for width in widths]
    if title and (spare := whole - cell_len(title)) >= 0:
        yield [(f"{' ' * (spare // 2)}{title}{' ' * (spare - spare // 2)}", "bold")]
    yield [(frame.get_top(full), "")]
    headings = [_set(column.heading, width, column.numeric) for column, width in zip(grid.columns, widths, strict=True)]
    yield _framed([(text, "bold") for text in headings], frame.head_left, frame.head_vertical, frame.head_right)
    yield [(frame.get_row(full, "head"), "")]
    for row in grid.rows:
        styles = [_style(cell) for cell in row]
        right = [column.numeric and not cell[0].startswith("[") for column, cell in zip(grid.columns, row, strict=True)]
        for index in range(max(map(len, row))):
            texts = [cell[index] if index < len(cell) else "" for cell in row]
            cells = [_set(*one) for one in zip(texts, widths, right, strict=True)]
            line = list(zip(cells, styles, strict=True))
            yield _framed(line, frame.mid_left, frame.mid_vertical, frame.mid_right)
    yield [(frame.get_bottom(full), "")]


def _set(text: str, width: int, right: bool) -> str:
    """A cell in its column; lists stand flush left, so that the brackets of a matrix are below each other."""
    space = " " * (width - cell_len(text))
    return f" {space}{text} " if right else f" {text}{space} "


def _framed(cells: Line, left: str, between: str, right: str) -> Line:
    line = [(left, "")]
    for cell in cells:
        line += [cell, (between, "")]
    line[-1] = (right, "")
    return line


def _style(cell: Lines) -> str:
    text = "\n".join(cell)
    style = {"None": "dim", "True": "green", "False": "yellow"}.get(text, "")
    return style or ("red" if text[:1] in "[-ni0123456789" and _NOT_FINITE.search(text) else "")


_NOT_FINITE = re.compile(r"(?<![a-z_])(nan|inf)(?![a-z_])")
