"""Tables of GitHub's Markdown, with notes as a list; tensors are whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli import numerals
from gradcli.render import Style, cells, escaped, matrix
from gradcli.report import Fields, Listing, Matrix, Notes, Report, Table, is_tensor


def pieces(result: Any, style: Style) -> Iterator[str]:
    """The report of a result as Markdown."""
    report: Report = result.report()
    if report.title:
        yield f"### {_code(report.title)}\n\n"
    for before, section in zip((None, *report.sections), report.sections, strict=False):
        alike = isinstance(before, Fields) and isinstance(section, Fields)
        if before and (alike or isinstance(section, (Table, Matrix, Listing))):
            yield "\n"
        if isinstance(section, Table):
            yield from _table(section, style)
        elif isinstance(section, Listing):
            yield from _table(section.table, style)
        elif isinstance(section, Matrix):
            yield from _matrix(section, style)
        elif isinstance(section, Fields):
            yield from (_field(name, told) for name, told in section.rows())
        elif isinstance(section, Notes) and section.notes:
            yield "\n"
            for note in section.notes:
                yield f"- {f'**{note.code}** ' if note.code else ''}{_safe(note.message)}\n"


def _field(name: str, told: str) -> str:
    """A fact as an item of a list; a text of several lines stands as it is written."""
    if "\n" not in told:
        return f"- **{_safe(name)}**: {_safe(told)}\n"
    lines = "".join(f"  {escaped(line)}".rstrip() + "\n" for line in told.split("\n"))
    return f"- **{_safe(name)}**:\n\n  ```text\n{lines}  ```\n\n"


def _table(table: Table, style: Style) -> Iterator[str]:
    yield f"| {' | '.join(_safe(column.heading) for column in table.columns)} |\n"
    yield f"| {' | '.join('---:' if column.numeric else '---' for column in table.columns)} |\n"
    for row in table.rows():
        yield "|"
        for index, cell in enumerate(row):
            yield " "
            yield from _cell(cell, index == 0, style)
            yield " |"
        yield "\n"


def _matrix(section: Matrix, style: Style) -> Iterator[str]:
    columns = [_code(name) for name in matrix.names(section.columns)]
    yield f"| {' | '.join([_safe(section.kinds[0]), *columns])} |\n"
    yield f"| {' | '.join(['---', *('---:' for _ in columns)])} |\n"
    for name, texts in zip(matrix.names(section.rows), matrix.rows(section, style.precision), strict=True):
        yield f"| {' | '.join([_code(name), *map(_safe, texts)])} |\n"


def _cell(cell: Any, label: bool, style: Style) -> Iterator[str]:
    if is_tensor(cell) and cell.numel() > numerals.CHUNK:
        from gradcli.render.jsonlines import tensor_json

        yield from tensor_json(cell, style.precision)
    elif label:
        yield _code(str(cell))
    else:
        yield _safe(cells.text(cell, style.precision))


def _code(text: str) -> str:
    """Text in backquotes, as many as it needs; a bar is escaped, as tables want it."""
    text = escaped(text).replace("|", "\\|")
    fence = "``" if "`" in text else "`"
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _safe(text: str) -> str:
    """Text whose characters mean nothing to Markdown."""
    return "".join(f"\\{c}" if c in "\\|*_<>`#" else c for c in escaped(text))
