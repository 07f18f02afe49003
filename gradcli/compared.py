"""What a comparison found, frozen: a column for each way, what they tell beside each other, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from gradcli.report import Fields, Notes, Report, Section
from gradcli.results import SCHEMA, Note, Result, TensorView


class Times(NamedTuple):
    """Seconds: the median of some rounds, and the range of the middle eight tenths of them."""

    median: float
    low: float
    high: float
    rounds: int

    @property
    def spread(self) -> float:
        """How far rounds lie from the median."""
        return max(self.high - self.median, self.median - self.low)

    def facts(self) -> dict[str, Any]:
        return self._asdict()


class Compared(Protocol):
    """A column: one way, with the facts of its JSON object."""

    @property
    def name(self) -> str: ...

    def facts(self) -> dict[str, Any]: ...


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Comparison(Result):
    """The answer of `compare`. `compares` is `modes`, `dtypes` or `formulas`; `inputs` are what all columns share.

    `expression` holds the formulas a line each where there are several. `members`: what this kind of comparison adds
    to the JSON object. `sections` makes what formats show of the columns.
    """

    expression: str
    compares: str
    verdict: str
    inputs: Mapping[str, TensorView]
    columns: tuple[Compared, ...]
    notes: tuple[Note, ...]
    title: str
    sections: Callable[[], tuple[Section, ...]]
    members: dict[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """The JSON object, with tensors where their numbers will stand."""
        return {
            "schema": SCHEMA, "command": "compare", "status": "ok", "expression": self.expression, "mode": "grad",
            "inputs": [one.facts() for one in self.inputs.values()],
            "compares": self.compares, "verdict": self.verdict, **self.members,
            "columns": [one.facts() for one in self.columns],
            "notes": [note.to_dict() for note in self.notes],
        }  # fmt: skip

    def report(self) -> Report:
        """The verdict, then everything side by side. A note that only repeats the verdict is not shown twice."""
        told = tuple(note for note in self.notes if note.message != self.verdict)
        facts = Fields(lambda: [("verdict", self.verdict)])
        return Report(self.title, (facts, *self.sections(), Notes(told, self.expression)))


def results_of(outputs: tuple[TensorView, ...], facts: Callable[[TensorView], dict[str, Any]]) -> dict[str, Any]:
    """One output, or a list of several, as the JSON object has them; `output` is null where torch refused it."""
    found = [facts(one) for one in outputs]
    return {"outputs": found} if len(found) > 1 else {"output": found[0] if found else None}


def refused_of(column: Any) -> str:
    """What a table says that torch refused of a column: all of it, or the way back alone."""
    return "" if not column.refused else "backward" if column.outputs else "by torch"


def plain_text(expression: str) -> str:
    """A text on one line."""
    return " ".join(expression.split())


def without_grads(inputs: Mapping[str, TensorView]) -> dict[str, TensorView]:
    """Inputs that columns share, whose gradients are those of the columns."""
    return {name: view._replace(grad=None) for name, view in inputs.items()}
