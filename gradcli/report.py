"""The narrow waist between results and formats: a title, and sections of a few kinds. Rows are iterated, not built."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcli.results import Answer, Note, TensorView


LABEL = 40  # characters of an expression that a row's label may have


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, and whether its cells are numbers (set flush right)."""

    heading: str
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells: text, numbers, booleans, None, or tensors, which each format shows in its way.

    `rows` makes the rows anew each time. Where `elements` is set, a format of single numbers (csv) writes a row for
    each element of the row's tensors.
    """

    columns: tuple[Column, ...]
    rows: Callable[[], Iterable[tuple[Any, ...]]]
    elements: bool = False


@dataclass(frozen=True, slots=True)
class Fields:
    """Facts of one thing: a name and a text each, set below one another."""

    rows: Callable[[], Iterable[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Notes:
    """Notes on an answer, and the text that their columns count in."""

    notes: tuple[Note, ...]
    source: str


Section = Table | Fields | Notes


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a format needs to show a result."""

    title: str
    sections: tuple[Section, ...]


def of_answer(answer: Answer) -> Report:
    """A row for each tensor: inputs, then outputs."""
    columns = (
        Column("tensor"),
        Column("value", True),
        Column(".grad", True),
        Column("requires_grad"),
        Column("grad_fn"),
    )

    def rows() -> Iterable[tuple[Any, ...]]:
        for view in (*answer.inputs.values(), *answer.outputs):
            yield label_of(view), view.value, view.grad, view.requires_grad, origin_of(view)

    mode = "" if answer.mode == "grad" else f" · {answer.mode}"
    title = " ".join(answer.expression.split()) if "\n" not in answer.expression.strip() else ""
    return Report(
        f"{title}{mode}".strip(" ·"), (Table(columns, rows, elements=True), Notes(answer.notes, answer.expression))
    )


def label_of(view: TensorView) -> str:
    """What a table calls a tensor: its name, or its text where that is short."""
    return view.label if view.name or len(view.label) <= LABEL else "output"


def origin_of(view: TensorView) -> str:
    """What a table says of where a tensor came from: its grad_fn, `leaf`, or `none`."""
    return view.grad_fn or ("leaf" if view.requires_grad else "none")


def is_tensor(cell: Any) -> bool:
    """Whether a cell is a tensor; asked without importing torch."""
    return hasattr(cell, "detach")
