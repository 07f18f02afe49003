"""The narrow waist between results and formats: a title, and sections of a few kinds. Rows are iterated, not built."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcli.results import Answer, Note, TensorView


# How an answer can be written; each has its file in render/.
FORMATS = ("table", "json", "csv", "markdown", "code")

LABEL = 40  # characters of an expression that a row's label may have


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, whether its cells are numbers (set flush right), digits that tables round them to.

    A terminal that is too narrow for a table is shown it without the columns that have a `spare`, the highest first.
    """

    heading: str
    numeric: bool = False
    digits: int | None = None
    spare: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells: text, numbers, booleans, None, or tensors, which each format shows in its way.

    `rows` makes the rows anew each time. Where `elements` is set, a format of single numbers (csv) writes a row for
    each element of the row's tensors. `most`: so many rows a table on a terminal shows; other formats have all.
    `sample`: the rows that it shows instead, and how many others there are.
    """

    columns: tuple[Column, ...]
    rows: Callable[[], Iterable[tuple[Any, ...]]]
    elements: bool = False
    most: int | None = None
    sample: tuple[Callable[[], Iterable[tuple[Any, ...]]], int] | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """The elements of a tensor along a side of a matrix; a tensor without a name is told by its indices."""

    label: str
    shape: tuple[int, ...]
    named: bool = True

    @property
    def size(self) -> int:
        return prod(self.shape)

    def element(self, position: int) -> str:
        """What an element is called: A[0, 2], or A where that is one number."""
        if not self.shape:
            return self.label
        index = ", ".join(map(str, self.index(position)))
        return f"{self.label if self.named else ''}[{index}]"

    def index(self, position: int) -> tuple[int, ...]:
        """The index of an element, from its place in row-major order."""
        parts = []
        for size in reversed(self.shape):
            position, part = divmod(position, size)
            parts.append(part)
        return tuple(reversed(parts))


@dataclass(frozen=True, slots=True)
class Matrix:
    """Numbers of two tensors' elements each: a block for every pair of a tensor at the side and one at the top.

    A block has the elements of its pair in row-major order. `kinds` says what a row, a column and a number are.
    """

    kinds: tuple[str, str, str]
    rows: tuple[Axis, ...]
    columns: tuple[Axis, ...]
    blocks: tuple[tuple[Any, ...], ...]

    def flat(self) -> Iterable[tuple[Axis, Axis, Any]]:
        """Each block, with its two tensors."""
        for row, blocks in zip(self.rows, self.blocks, strict=True):
            for column, block in zip(self.columns, blocks, strict=True):
                yield row, column, block


@dataclass(frozen=True, slots=True)
class Fields:
    """Facts of one thing: a name and a text each, set below one another."""

    rows: Callable[[], Iterable[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Listing:
    """Many things with one line each: a name and a sentence, the first and the last column of a table.

    In a table the column `group`, where there is one, stands above the lines that share it; other formats, and other
    columns, are as in any table. `aside`: csv leaves it out, whose rows are then of one kind.
    """

    table: Table
    group: int | None = None
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Notes:
    """Notes on an answer, and the text that their columns count in."""

    notes: tuple[Note, ...]
    source: str


Section = Table | Matrix | Fields | Listing | Notes


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a format needs to show a result."""

    title: str
    sections: tuple[Section, ...]


def of_answer(answer: Answer) -> Report:
    """A row for each tensor: inputs, then outputs."""
    extra = answer.extra
    columns = (
        Column("tensor"),
        Column("value", True),
        Column(".grad", True),
        *(extra.columns() if extra else ()),
        Column("requires_grad"),
        Column("grad_fn"),
    )

    def rows() -> Iterable[tuple[Any, ...]]:
        outputs = [(None, one) for one in answer.outputs if not (one.is_leaf and one.name in answer.inputs)]
        for name, view in (*answer.inputs.items(), *outputs):
            further = extra.cells(name) if extra else ()
            yield label_of(view), view.value, view.grad, *further, view.requires_grad, origin_of(view)

    asked = (title_of(answer), answer.mode if answer.mode != "grad" else "", answer.asked.dtype or "")
    sections = (Table(columns, rows, elements=True), *(extra.sections() if extra else ()))
    return Report(" · ".join(filter(None, asked)), (*sections, Notes(answer.notes, answer.expression)))


def title_of(answer: Answer) -> str:
    """The text of an answer where it is one line."""
    return " ".join(answer.expression.split()) if "\n" not in answer.expression.strip() else ""


def shortened(text: str, most: int) -> str:
    """A text with its middle left out: what was recorded last stands at its end."""
    half = (most - 3) // 2
    return text if len(text) <= most else f"{text[:half]} … {text[-half:]}"


def axis_of(view: TensorView) -> Axis:
    """The elements of a tensor of an answer."""
    return Axis(label_of(view), view.shape, view.name is not None)


def label_of(view: TensorView) -> str:
    """What a table calls a tensor: its name, or its text where that is short."""
    return view.label if view.name or len(view.label) <= LABEL else "output"


def origin_of(view: TensorView) -> str:
    """What a table says of where a tensor came from: its grad_fn, `leaf`, or `none`."""
    return view.grad_fn or ("leaf" if view.requires_grad else "none")


def is_tensor(cell: Any) -> bool:
    """Whether a cell is a tensor; asked without importing torch."""
    return hasattr(cell, "detach")
