"""A picture on the terminal: the curves of a sweep, then what was found and the notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.render import Style, table
from gradcli.report import Report, Table


def ready() -> None:
    """Raise GradcliError where the extra that draws is not installed."""
    from gradcli.render.plots import needs

    needs("plotext", "--plot")


def pieces(result: Any, style: Style) -> Iterator[str]:
    """The title, the picture, and all of the report but its numbers."""
    from gradcli.render.plots import terminal

    report = result.report()
    yield f"{style.shown(report.title)}\n"
    for line in terminal.pictures(result, style):
        yield f"{line}\n"
    others = tuple(section for section in report.sections if not isinstance(section, Table))
    yield table.text(Report("", others), style)
