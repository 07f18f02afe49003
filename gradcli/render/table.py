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

from gradcli.render import Style, escaped
from gradcli.render.grid import Grid, Lines
from gradcli.report import Fields, Report, Section, Table
from gradcli.results import Note

_LEVELS = {"info": ("·", "cyan"), "warning": ("!", "yellow"), "error": ("x", "red")}


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
        if isinstance(section, Grid):
            _print_table(console, section, report.title, style)
        elif section is not None:
            for line in section:
                console.print(line, soft_wrap=style.width is None)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def html(report: Report) -> str:
    """A report as HTML, for notebooks: the same table, its text escaped."""
    rows: list[str] = []
    for section in (_section(one, Style()) for one in report.sections):
        if isinstance(section, Grid):
            rows.append("<table>" + _html_row("th", [column.heading for column in section.columns]))
            rows += [_html_row("td", [" ".join(cell) for cell in row]) for row in section.rows]
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


def _section(section: Section, style: Style) -> Grid | list[Text] | None:
    if isinstance(section, Table):
        return Grid.of(section, style)
    if isinstance(section, Fields):
        rows = list(section.rows())
        label = max(cell_len(name) for name, _ in rows)
        return [Text.assemble((f"{name:<{label}}  ", "bold"), escaped(told)) for name, told in rows]
    return [_note(note) for note in section.notes if not style.quiet] or None


def _natural(section: Grid | list[Text]) -> int:
    return section.width() if isinstance(section, Grid) else max(line.cell_len for line in section)


def _note(note: Note) -> Text:
    mark, color = _LEVELS[note.level]
    line = Text(f"{mark} ", style=color)
    if note.code:
        line.append(f"{note.code} ", style=f"bold {color}")
    return line.append(escaped(note.message))


def _print_table(console: Console, grid: Grid, title: str, style: Style) -> None:
    fitted = grid.fitted(console.width)
    shown = escaped(title)
    if fitted is None:
        for line in grid.blocks(shown, console.width):
            console.print(Text(line, style="" if line.startswith(" ") else "bold"), soft_wrap=True)
        return
    table = RichTable(
        title=Text(shown) if cell_len(shown) <= console.width else None,
        box=box.HEAVY_HEAD if not style.ascii else box.ASCII,
        title_style="bold",
        header_style="bold",
    )
    for column in fitted.columns:
        table.add_column(column.heading, justify="right" if column.numeric else "left", no_wrap=True, overflow="fold")
    for row in fitted.rows:
        table.add_row(*map(_cell, row))
    console.print(table)


def _cell(lines: Lines) -> RenderableType:
    """A cell; lists stand flush left, so that the brackets of a matrix are below each other."""
    text = "\n".join(lines)
    color = {"None": "dim", "True": "green", "False": "yellow"}.get(text)
    if color is None and ("nan" in text or "inf" in text) and text[:1] in "[-ni0123456789":
        color = "red"
    return Text(text, style=color or "", justify="left" if text.startswith("[") else None)
