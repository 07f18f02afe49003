"""Rich tables: never wider than the terminal, never a number cut; where columns do not fit, one block a row."""

from __future__ import annotations

import html as markup
import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any

from rich.cells import cell_len

from gradcli.render import Style, escaped, matrix
from gradcli.render.drawing import Line, drawn
from gradcli.render.grid import Grid, broken
from gradcli.report import Fields, Listing, Matrix, Report, Section, Table
from gradcli.results import Note

NARROWEST = 24  # columns beside a name that a sentence is still read in
LONG_TITLE = 80  # characters of a title that stand above a narrower table

_LEVELS = {"info": ("·", "cyan"), "warning": ("!", "yellow"), "error": ("x", "red")}


def pieces(result: Any, style: Style) -> Iterator[str]:
    """The table of a result, as one piece."""
    yield text(result.report(), style)


def text(report: Report, style: Style | None = None) -> str:
    """A report as text, with colour where the style asks for it."""
    style = style or Style()
    shown = list(_shown(report, style))
    width = style.width or max([1, *(_natural(one) for one, _ in shown)])
    parts = [
        (_lines(one, style.shown(title), width, style.ascii), False) if isinstance(one, Grid) else (one, True)
        for one, title in shown
    ]
    return finished(parts, style, width)


def finished(parts: list[tuple[list[Line], bool]], style: Style, width: int | None = None) -> str:
    """Parts as text: lines, and whether those of a part may be wrapped at words."""
    parts = [part for part in parts if part[0]]
    if style.color or style.width is not None:
        return _printed(parts, style, width or style.width or LONG_TITLE)
    return "".join(f"{_plain(line)}\n" for lines, _ in parts for line in lines)


def remarks(notes: Iterable[Note], style: Style) -> list[Line]:
    """A line for each note, none where they are to be left out."""
    return [] if style.quiet else [_note(note, style) for note in notes]


def _lines(grid: Grid, title: str, width: int, ascii: bool) -> list[Line]:
    """The lines of a table that fit a width: one block a row where the table does not."""
    fitted = grid.fitted(width)
    if fitted is not None:
        above: list[Line] = [[(title, "bold")]] if fitted.width() < cell_len(title) <= max(width, LONG_TITLE) else []
        return [*above, *drawn(fitted, title, ascii)]
    return [[(line, "" if line.startswith(" ") else "bold")] for line in grid.blocks(title, width)]


def _printed(parts: list[tuple[list[Line], bool]], style: Style, width: int) -> str:
    """Lines as Rich prints them: painted, and on a terminal wrapped at words where they may be."""
    from rich.console import Console
    from rich.text import Text

    console = Console(
        file=io.StringIO(), width=width,
        force_terminal=style.color, color_system="standard" if style.color else None, no_color=not style.color,
        markup=False, highlight=False, emoji=False, safe_box=style.ascii, legacy_windows=False,
    )  # fmt: skip
    for lines, wrapped in parts:
        shown = Text("\n").join(Text.assemble(*line) for line in lines)
        console.print(shown, soft_wrap=style.width is None or not wrapped)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def html(report: Report, style: Style | None = None) -> str:
    """A report as HTML, for notebooks: the same table, its text escaped."""
    rows: list[str] = []
    style = replace(style or Style(), width=None)
    for section, _ in _shown(report, style):
        if isinstance(section, Grid):
            rows.append("<table>" + _html_row("th", [column.heading for column in section.columns]))
            rows += [_html_row("td", [" ".join(cell) for cell in row]) for row in section.rows]
            rows.append("</table>")
        else:
            rows += [f"<div>{markup.escape(_plain(line))}</div>" for line in section]
    title = f"<div><b>{markup.escape(escaped(report.title))}</b></div>" if report.title else ""
    return title + "".join(rows)


def _html_row(tag: str, values: list[str]) -> str:
    style = ' style="text-align: left"'
    return "<tr>" + "".join(f"<{tag}{style}>{markup.escape(value)}</{tag}>" for value in values) + "</tr>"


def _shown(report: Report, style: Style) -> Iterator[tuple[Grid | list[Line], str]]:
    """Tables and lines, each with its title: the first table has that of the report."""
    title = report.title
    for before, section in zip((None, *report.sections), report.sections, strict=False):
        if isinstance(section, Fields) and isinstance(before, Fields):
            yield [[("", "")]], ""
        for one in _section(section, style):
            yield one, title
            title = "" if isinstance(one, Grid) else title


def _section(section: Section, style: Style) -> list[Grid | list[Line]]:
    if isinstance(section, Table):
        return [Grid.of(section, style), *_left_out(section, style)]
    if isinstance(section, Matrix):
        return [*matrix.grids(section, style)]
    if isinstance(section, Fields):
        return [list(_pairs(list(section.rows()), style))]
    if isinstance(section, Listing):
        return [list(_listed(section, style))]
    notes = remarks(section.notes, style)
    return [notes] if notes else []


def _left_out(table: Table, style: Style) -> Iterator[list[Line]]:
    """How many rows a sample leaves out."""
    if table.sample is not None and table.sample[1] and not style.verbose:
        count = f"{table.sample[1]:,} more row{'' if table.sample[1] == 1 else 's'}"
        yield [[(style.shown(f"… {count} (-v shows all)"), "")]]


def _listed(listing: Listing, style: Style) -> Iterator[Line]:
    """A line for each row, under the heading of its group."""
    key = None if listing.group is None else itemgetter(listing.group)
    for index, (heading, rows) in enumerate(groupby(listing.table.rows(), key or (lambda _: ""))):
        if key is not None:
            yield from [[("", "")]] if index else []
            yield [(style.shown(heading), "bold")]
        yield from _pairs([(row[0], row[-1]) for row in rows], style, "  " if key else "")


def _pairs(rows: list[tuple[str, str]], style: Style, indent: str = "") -> Iterator[Line]:
    """Names and what is told of them beside each other; what does not fit goes on under its own beginning."""
    label = max(cell_len(name) for name, _ in rows)
    left = len(indent) + label + 2
    beside = style.width is None or style.width - left >= NARROWEST
    for name, told in rows:
        lines = tuple(style.shown(line) for line in told.split("\n"))
        room = (style.width or 0) - (left if beside else 4)
        first, *more = broken(lines, max(room, 8)) if style.width else lines
        if beside:
            yield [(f"{indent}{name:<{label}}  ", "" if indent else "bold"), (first, "")]
            yield from ([(f"{'':<{left}}{line}", "")] for line in more)
        else:
            yield [(f"{indent}{name}", "bold")]
            yield from ([(f"    {line}", "")] for line in (first, *more))


def _natural(section: Grid | list[Line]) -> int:
    return section.width() if isinstance(section, Grid) else max(cell_len(_plain(line)) for line in section)


def _plain(line: Line) -> str:
    return "".join(text for text, _ in line)


def _note(note: Note, style: Style) -> Line:
    mark, color = _LEVELS[note.level]
    code = [(f"{note.code} ", f"bold {color}")] if note.code else []
    return [(f"{style.shown(mark)} ", color), *code, (style.shown(note.message), color)]
