"""Rich tables: never wider than the terminal, never a number cut; where columns do not fit, one block a row."""

from __future__ import annotations

import html as markup
import io
from collections.abc import Iterator
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from gradcli.render import Style, cells, escaped
from gradcli.report import Fields, Report, Section, Table
from gradcli.results import Note

_LEVELS = {"info": ("·", "cyan"), "warning": ("!", "yellow"), "error": ("x", "red")}
_BORDERS = 3  # columns of border and padding for each column of a table


def pieces(result: Any, style: Style) -> Iterator[str]:
    """The table of a result, as one piece."""
    yield text(result.report(), style)


def text(report: Report, style: Style | None = None) -> str:
    """A report as text, with colour where the style asks for it."""
    style = style or Style()
    shown = [_section(section, style) for section in report.sections]
    width = style.width or max([1, *(_natural(one) for one in shown if one is not None)])
    console = console_of(style, width)
    for section in shown:
        if isinstance(section, _Grid):
            _print_table(console, section, report.title, style)
        elif section is not None:
            for line in section:
                console.print(line, soft_wrap=style.width is None)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def html(report: Report) -> str:
    """A report as HTML, for notebooks: the same table, its text escaped."""
    rows: list[str] = []
    for section in (_section(one, Style()) for one in report.sections):
        if isinstance(section, _Grid):
            rows.append("<table>" + _html_row("th", [column.heading for column in section.columns]))
            rows += [_html_row("td", row) for row in section.rows]
            rows.append("</table>")
        elif section is not None:
            rows += [f"<div>{markup.escape(line.plain)}</div>" for line in section]
    title = f"<div><b>{markup.escape(escaped(report.title))}</b></div>" if report.title else ""
    return title + "".join(rows)


def _html_row(tag: str, values: list[str]) -> str:
    style = ' style="text-align: left"'
    return "<tr>" + "".join(f"<{tag}{style}>{markup.escape(value)}</{tag}>" for value in values) + "</tr>"


def console_of(style: Style, width: int) -> Console:
    """A console that writes to memory and never guesses at a terminal."""
    return Console(
        file=io.StringIO(), width=width,
        force_terminal=style.color, color_system="standard" if style.color else None, no_color=not style.color,
        markup=False, highlight=False, emoji=False, safe_box=style.ascii, legacy_windows=False,
    )  # fmt: skip


class _Grid:
    """A table whose cells are text already."""

    def __init__(self, table: Table, style: Style) -> None:
        limit = None if style.verbose else cells.SMALL
        self.columns = table.columns
        self.rows = [[escaped(cells.text(cell, style.precision, limit)) for cell in row] for row in table.rows()]
        self.raw = self.rows

    def widths(self) -> list[int]:
        return [
            max(cell_len(column.heading), *(cell_len(row[index]) for row in self.rows), 0)
            for index, column in enumerate(self.columns)
        ]


def _section(section: Section, style: Style) -> _Grid | list[Text] | None:
    if isinstance(section, Table):
        return _Grid(section, style)
    if isinstance(section, Fields):
        rows = list(section.rows())
        label = max(cell_len(name) for name, _ in rows)
        return [Text.assemble((f"{name:<{label}}  ", "bold"), escaped(told)) for name, told in rows]
    return [_note(note) for note in section.notes if not style.quiet] or None


def _natural(section: _Grid | list[Text]) -> int:
    if isinstance(section, _Grid):
        return sum(section.widths()) + _BORDERS * len(section.columns) + 1
    return max(line.cell_len for line in section)


def _note(note: Note) -> Text:
    mark, color = _LEVELS[note.level]
    line = Text(f"{mark} ", style=color)
    if note.code:
        line.append(f"{note.code} ", style=f"bold {color}")
    return line.append(escaped(note.message))


def _print_table(console: Console, grid: _Grid, title: str, style: Style) -> None:
    if _natural(grid) > console.width:
        grid.rows = _wrapped(grid, console.width)
    if _natural_lines(grid) > console.width:
        grid.rows = grid.raw
        for line in _blocks(grid, title, console.width):
            console.print(line, soft_wrap=True)
        return
    shown = escaped(title)
    table = RichTable(
        title=Text(shown) if cell_len(shown) <= console.width else None,
        box=box.HEAVY_HEAD if not style.ascii else box.ASCII,
        title_style="bold",
        header_style="bold",
    )
    for column in grid.columns:
        table.add_column(column.heading, justify="right" if column.numeric else "left", no_wrap=True, overflow="fold")
    for row in grid.rows:
        table.add_row(*(_cell(cell) for cell in row))
    console.print(table)


def _cell(text: str) -> RenderableType:
    color = {"None": "dim", "True": "green", "False": "yellow"}.get(text)
    if color is None and ("nan" in text or "inf" in text) and text[:1] in "[-ni0123456789":
        color = "red"
    return Text(text, style=color or "")


def _natural_lines(grid: _Grid) -> int:
    widths = [
        max([cell_len(column.heading), *(cell_len(line) for row in grid.rows for line in row[index].split("\n"))])
        for index, column in enumerate(grid.columns)
    ]
    return sum(widths) + _BORDERS * len(grid.columns) + 1


def _wrapped(grid: _Grid, width: int) -> list[list[str]]:
    """The rows with long cells broken between the elements of a list, never inside a number."""
    widths = grid.widths()
    wide = [index for index, column in enumerate(grid.columns) if column.numeric or index == 0]
    fixed = sum(size for index, size in enumerate(widths) if index not in wide) + _BORDERS * len(widths) + 1
    room = max((width - fixed) // max(len(wide), 1), 8)
    spare = sum(max(room - widths[index], 0) for index in wide)
    needy = sum(widths[index] > room for index in wide)
    target = room + spare // max(needy, 1)
    return [[_broken(cell, target) if index in wide else cell for index, cell in enumerate(row)] for row in grid.rows]


def _broken(cell: str, width: int) -> str:
    if cell_len(cell) <= width:
        return cell
    lines, line = [], ""
    for word in cell.split(" "):
        if line and cell_len(f"{line} {word}") > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])


def _blocks(grid: _Grid, title: str, width: int) -> Iterator[Text]:
    """One block of lines a row: for terminals that are too narrow for the table."""
    if title:
        yield Text(escaped(title), style="bold")
    label = max(cell_len(column.heading) for column in grid.columns[1:])
    for row in grid.rows:
        yield Text(row[0], style="bold")
        for column, cell in zip(grid.columns[1:], row[1:], strict=True):
            first, *rest = _broken(cell, max(width - label - 4, 8)).split("\n")
            yield Text(f"  {column.heading:<{label}}  {first}")
            for line in rest:
                yield Text(f"  {'':<{label}}  {line}")
