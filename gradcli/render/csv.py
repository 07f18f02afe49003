"""Comma-separated values: for tensors one row an element, with its index; nothing is summarised."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice, repeat
from typing import Any

from gradcli import numerals
from gradcli.render import Style, cells
from gradcli.report import Fields, Listing, Matrix, Notes, Report, Section, Table, is_tensor

LINES = 4096  # so many are written at once


def pieces(result: Any, style: Style) -> Iterator[str]:
    """The tables of a result; notes are left to the other formats."""
    report: Report = result.report()
    shown = [section for section in report.sections if not isinstance(section, Notes) and not _aside(section)]
    for index, section in enumerate(shown):
        if index:
            yield "\n"
        if isinstance(section, Table):
            yield from _table(section, style)
        elif isinstance(section, Listing):
            yield from _table(section.table, style)
        elif isinstance(section, Matrix):
            yield from _matrix(section, style)
        elif isinstance(section, Fields):
            yield from map(_line, map(list, section.rows()))


def _table(table: Table, style: Style) -> Iterator[str]:
    headings = [column.heading.lstrip(".") for column in table.columns]
    yield _line([headings[0], "index", *headings[1:]] if table.elements else headings)
    if table.elements:
        for row in table.rows():
            yield from _elements(row, style)
        return
    rows = iter(table.rows())
    while some := list(islice(rows, LINES)):
        yield _lines([[_plain(cell, style) for cell in row] for row in some])


def _aside(section: Section) -> bool:
    return isinstance(section, Listing) and section.aside


def _matrix(matrix: Matrix, style: Style) -> Iterator[str]:
    """A line for each number, with the tensors and the indices that it belongs to."""
    row_kind, column_kind, number_kind = matrix.kinds
    yield _line([row_kind, f"{row_kind} index", column_kind, f"{column_kind} index", number_kind])
    for row, column, block in matrix.flat():
        position = 0
        for chunk in numerals.chunks(block):
            lines = []
            for value in chunk:
                at, by = divmod(position, column.size)
                indices = [" ".join(map(str, axis.index(one))) for axis, one in ((row, at), (column, by))]
                lines.append([row.label, indices[0], column.label, indices[1], _plain(value, style)])
                position += 1
            yield _lines(lines)


def _elements(row: tuple[Any, ...], style: Style) -> Iterator[str]:
    """A row for each element of the tensors of a row, which have one shape; cells that are no tensors are repeated.

    Tensors of several shapes have no elements in common: each is written whole into its cell.
    """
    tensors = [cell for cell in row if is_tensor(cell)]
    if len({cell.shape for cell in tensors}) != 1:
        first, *others = (_plain(cell, style) for cell in row)
        yield _line([first, "", *others])
        return
    indices = _places(tuple(tensors[0].shape)) if tensors[0].numel() else iter(())
    label, *streams = (_stream(cell, style) if is_tensor(cell) else repeat(_plain(cell, style)) for cell in row)
    lines = zip(label, indices, *streams, strict=False)  # a repeated text has no end
    while some := list(islice(lines, LINES)):
        yield _lines(some)


def _places(shape: tuple[int, ...]) -> Iterator[str]:
    """The indices of a shape in row-major order, one after another: none is kept."""
    if len(shape) < 2:
        yield from map(str, range(shape[0])) if shape else ("",)
        return
    for first in range(shape[0]):
        for rest in _places(shape[1:]):
            yield f"{first} {rest}"


def _stream(tensor: Any, style: Style) -> Iterator[str]:
    """The elements of a tensor as text."""
    return (_plain(value, style) for chunk in numerals.chunks(tensor) for value in chunk)


def _plain(cell: Any, style: Style) -> str:
    return "" if cell is None else cells.text(cell, style.precision)


def _line(values: Sequence[Any]) -> str:
    return _lines([values])


def _lines(rows: Sequence[Sequence[Any]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()
