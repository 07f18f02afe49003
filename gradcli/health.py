"""The health of a training, frozen: a verdict, what each parameter's gradients were, and notes on what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gradcli.parameters import Parameter
from gradcli.results import SCHEMA, Note, Result
from gradcli.seen import SeenTensor

if TYPE_CHECKING:
    from gradcli.report import Report


@dataclass(frozen=True, slots=True)
class Seen:
    """How much was looked at: steps and backward passes, at how many steps norms were taken, at how many all else.

    What stands between steps that were looked at was not seen.
    """

    steps: int = 0
    backwards: int = 0
    measured: int = 0
    detailed: int = 0

    @property
    def exact(self) -> bool:
        """Whether norms were taken at every step."""
        return self.measured >= self.steps

    def __str__(self) -> str:
        if not self.steps:
            return "no step" + (f", {self.backwards:,} backward passes" if self.backwards else "")
        norms = "each" if self.exact else f"{self.measured:,} of them"
        more = "each" if self.detailed >= self.steps else f"{self.detailed:,}"
        return f"{self.steps:,}; norms at {norms}; zeros, units and updates at {more}; None at every step"


@dataclass(frozen=True, slots=True)
class Scaling:
    """A gradient scaler: its scale at first and last, the steps it updated after, and those it skipped."""

    first: float
    last: float
    updates: int
    skipped: int

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        return {"first": self.first, "last": self.last, "updates": self.updates, "skipped": self.skipped}

    def __str__(self) -> str:
        scale = f"{self.first:g}" if self.first == self.last else f"{self.first:g} to {self.last:g}"
        return f"{scale}; {self.skipped:,} of {self.updates:,} steps skipped"


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Health(Result):
    """What watching a training found.

    `parameters` stand in the order of `named_parameters()`; `tensors` are those among the variables of a script.
    """

    verdict: str
    parameters: tuple[Parameter, ...] = ()
    tensors: tuple[SeenTensor, ...] = ()
    notes: tuple[Note, ...] = ()
    seen: Seen = field(default_factory=Seen)
    scaling: Scaling | None = None

    @property
    def codes(self) -> frozenset[str]:
        """The codes of all findings."""
        return frozenset(note.code for note in self.notes if note.code)

    def rows(self) -> list[dict[str, Any]]:
        """A flat dictionary for each parameter: `pandas.DataFrame(health.rows())`."""
        return [one.row() for one in self.parameters]

    def document(self) -> dict[str, Any]:
        """The JSON object, with tensors where their numbers will stand."""
        return {
            "schema": SCHEMA, "command": "run", "status": "ok", "verdict": self.verdict,
            "steps": {
                "seen": self.seen.steps, "backwards": self.seen.backwards, "measured": self.seen.measured,
                "detailed": self.seen.detailed,
            },
            "scaler": None if self.scaling is None else self.scaling.facts(),
            "parameters": [one.facts() for one in self.parameters],
            "tensors": [one.facts() for one in self.tensors],
            "notes": [note.to_dict() for note in self.notes],
        }  # fmt: skip

    def report(self, all: bool = False) -> Report:
        """What a table, csv or markdown shows of it; a long model has a row a layer unless `all` is set."""
        from gradcli.health_tables import of_health

        return of_health(self, all)
