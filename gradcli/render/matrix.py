"""A matrix as text: a table with its elements' names at the sides, in bands that fit; a large one in lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli import numerals
from gradcli.render import Style, cells
from gradcli.render.grid import BORDERS, Grid
from gradcli.report import Axis, Column, Matrix, Table

WHOLE = 256  # a table shows matrices of up to so many numbers whole
BANDS = 4  # a matrix that is wider than the terminal is shown in at most so many pieces


def grids(matrix: Matrix, style: Style) -> list[Grid]:
    """The tables that show a matrix: itself, its bands, or one line for each of its blocks."""
    if count(matrix) <= WHOLE or style.verbose:
        whole = whole_grid(matrix, style)
        bands = list(_bands(whole, style.width))
        if len(bands) <= BANDS or style.verbose:
            return bands
    return [Grid.of(_summary(matrix), style)]


def count(matrix: Matrix) -> int:
    """How many numbers a matrix has."""
    return sum(one.size for one in matrix.rows) * sum(one.size for one in matrix.columns)


def whole_grid(matrix: Matrix, style: Style) -> Grid:
    """All rows and columns, under and beside the names of their elements."""
    columns = [Column(matrix.kinds[0]), *(Column(style.shown(name), True) for name in names(matrix.columns))]
    lines = [(name, *texts) for name, texts in zip(names(matrix.rows), rows(matrix, style.precision), strict=True)]
    return Grid(tuple(columns), tuple(tuple((style.shown(cell),) for cell in line) for line in lines))


def names(axes: tuple[Axis, ...]) -> Iterator[str]:
    """The names of all elements along a side."""
    return (axis.element(position) for axis in axes for position in range(axis.size))


def rows(matrix: Matrix, precision: int | None) -> Iterator[list[str]]:
    """The numbers of each row, those of all blocks beside each other; a zero has no sign here."""
    for axis, blocks in zip(matrix.rows, matrix.blocks, strict=True):
        widths = [column.size for column in matrix.columns]
        for row in range(axis.size):
            yield [
                cells.number(value or abs(value), precision)
                for block, width in zip(blocks, widths, strict=True)
                for value in numerals.numbers(block, row * width, (row + 1) * width)
            ]


def _bands(grid: Grid, width: int | None) -> Iterator[Grid]:
    """The same table, or pieces of it with as many columns as fit, each with the names of its rows."""
    widths = grid.widths()
    if width is None or grid.width() <= width:
        yield grid
        return
    taken: list[int] = []
    for index in range(1, len(widths)):
        if taken and _needed(widths, [0, *taken, index]) > width:
            yield _piece(grid, taken)
            taken = []
        taken.append(index)
    yield _piece(grid, taken)


def _needed(widths: list[int], indices: list[int]) -> int:
    return sum(widths[index] + BORDERS for index in indices) + 1


def _piece(grid: Grid, indices: list[int]) -> Grid:
    chosen = [0, *indices]
    rows = tuple(tuple(row[index] for index in chosen) for row in grid.rows)
    return Grid(tuple(grid.columns[index] for index in chosen), rows)


def _summary(matrix: Matrix) -> Table:
    def lines() -> Iterator[tuple[Any, ...]]:
        for row, column, block in matrix.flat():
            yield row.label, column.label, block.reshape(row.size, column.size)

    kind, by, number = matrix.kinds
    return Table((Column(kind), Column(by), Column(f"{number}: rows × columns", True)), lines)
