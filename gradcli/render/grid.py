"""A table as lines of text, and how it is fitted to a width: as it is, with lists broken, or as blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from rich.cells import cell_len

from gradcli.render import Style, cells
from gradcli.report import Column, Table, is_tensor

BORDERS = 3  # columns of border and padding for each column of a table
MORE_LINES = 3  # a list in a table is broken into at most so many lines

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells as lines; a matrix has a line for each of its rows."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Lines, ...], ...]

    @classmethod
    def of(cls, table: Table, style: Style) -> Grid:
        """The text of every cell of a table."""
        limit = None if style.verbose else cells.SMALL

        def lines(cell: object, column: Column) -> Lines:
            precision = style.precision or column.digits
            if is_tensor(cell):
                return tuple(map(style.shown, cells.tensor_lines(cell, precision, limit)))
            return (style.shown(cells.text(cell, precision)),)

        if table.sample is not None and not style.verbose:
            shown = iter(table.sample[0]())
        else:
            shown = islice(table.rows(), None if style.verbose else table.most)
        return cls(table.columns, tuple(tuple(map(lines, row, table.columns)) for row in shown))

    def widths(self) -> list[int]:
        """The columns that each column needs."""
        return [
            max([cell_len(column.heading), *(cell_len(line) for row in self.rows for line in row[index])])
            for index, column in enumerate(self.columns)
        ]

    def width(self) -> int:
        """The columns that the whole table needs."""
        return sum(self.widths()) + BORDERS * len(self.columns) + 1

    def fitted(self, width: int) -> Grid | None:
        """The table within a width, its lists broken into a few lines where that helps; None where it cannot be."""
        if self.width() <= width:
            return self
        worst = max(self.columns, key=lambda column: column.spare)
        if worst.spare:
            return self._without(self.columns.index(worst)).fitted(width)
        widths = self.widths()
        wide = [index for index, column in enumerate(self.columns) if column.numeric or index == 0]
        fixed = sum(size for index, size in enumerate(widths) if index not in wide) + BORDERS * len(widths) + 1
        room = max((width - fixed) // max(len(wide), 1), 8)
        spare = sum(max(room - widths[index], 0) for index in wide)
        needy = sum(widths[index] > room for index in wide)
        target = room + spare // max(needy, 1)
        rows = tuple(
            tuple(broken(cell, target) if index in wide else cell for index, cell in enumerate(row))
            for row in self.rows
        )
        fitted = replace(self, rows=rows)
        tall = any(len(cell) > max(len(old), MORE_LINES) for row, raw in zip(rows, self.rows, strict=True)
                   for cell, old in zip(row, raw, strict=True))  # fmt: skip
        return None if tall or fitted.width() > width else fitted

    def _without(self, index: int) -> Grid:
        """The table without a column."""
        rows = tuple((*row[:index], *row[index + 1 :]) for row in self.rows)
        return Grid((*self.columns[:index], *self.columns[index + 1 :]), rows)

    def blocks(self, title: str, width: int) -> Iterator[str]:
        """One block of lines a row: for terminals that are too narrow for the table."""
        if title:
            yield title
        label = max(cell_len(column.heading) for column in self.columns[1:])
        for row in self.rows:
            yield " ".join(row[0])
            for column, cell in zip(self.columns[1:], row[1:], strict=True):
                first, *rest = broken(cell, max(width - label - 4, 8))
                yield f"  {column.heading:<{label}}  {first}"
                for line in rest:
                    yield f"  {'':<{label}}  {line}"


def broken(cell: Lines, width: int) -> Lines:
    """Lines no longer than a width, broken between the elements of a list and never inside a number."""
    lines: list[str] = []
    for whole in cell:
        line = ""
        for word in whole.lstrip(" ").split(" "):
            if line.strip() and cell_len(f"{line} {word}") > width:
                lines.append(line)
                line = " " * (len(whole) - len(whole.lstrip(" ")) + whole.startswith("[")) + word
            else:
                line = f"{line} {word}" if line else " " * (len(whole) - len(whole.lstrip(" "))) + word
        lines.append(line)
    return tuple(lines)
