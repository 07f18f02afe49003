"""What a sweep found, frozen: the points, value and gradient at each, and the findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from gradcli import numerals
from gradcli.findings import Finding
from gradcli.report import Column, Listing, Notes, Report, Table
from gradcli.results import SCHEMA, Note, Result, TensorView
from gradcli.sampling import sampled

if TYPE_CHECKING:
    import torch

PART = 4096  # rows whose numbers are read at once


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Sweep(Result):
    """The answer of `sweep`.

    `at` holds the values of each swept input: (points,), or (points, *shape) where a point is no single number. For
    two swept inputs of m and n points `value` has the shape (m, n), and `grad` of each (m, n, *shape of the input);
    `grad` is None where backward leaves none. `inputs` holds every input, the swept ones with the value at one point.
    `way` is how the points were evaluated: `broadcast`, `vmap` or `loop`.
    """

    expression: str
    mode: str
    inputs: Mapping[str, TensorView]
    at: Mapping[str, torch.Tensor]
    value: torch.Tensor
    grad: Mapping[str, torch.Tensor | None]
    way: str
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...]

    @property
    def points(self) -> int:
        """How many points were evaluated."""
        return prod(len(one) for one in self.at.values())

    @property
    def lengths(self) -> tuple[int, ...]:
        """How many values each swept input has."""
        return tuple(len(one) for one in self.at.values())

    def document(self) -> dict[str, Any]:
        """The JSON object, with tensors where their numbers will stand."""
        return {
            "schema": SCHEMA, "command": "sweep", "status": "ok", "expression": self.expression, "mode": self.mode,
            "inputs": [self._input(name, one) for name, one in self.inputs.items()],
            "way": self.way, "at": dict(self.at), "value": self.value, "grad": dict(self.grad),
            "findings": [one.facts() for one in self.findings],
            "notes": [note.to_dict() for note in self.notes],
        }  # fmt: skip

    def _input(self, name: str, view: TensorView) -> dict[str, Any]:
        """An input's facts; the values of a swept one are under `at`, its gradients under `grad`."""
        facts = view.facts()
        if name not in self.at:
            return facts
        swept = {"name": name, "origin": "swept", "points": len(self.at[name])}
        return swept | {key: fact for key, fact in facts.items() if key not in {"name", "origin", "value", "grad"}}

    def report(self) -> Report:
        """A row for each point, in a table for a sample of them; then the findings, a line each."""
        names = list(self.at)
        columns = (
            *(Column(name, True) for name in names), Column("value", True),
            *(Column(f"{name}.grad", True) for name in names),
        )  # fmt: skip
        chosen = sampled(self)
        table = Table(
            columns, lambda: self._rows(range(self.points)),
            sample=(lambda: self._rows(chosen), self.points - len(chosen)),
        )  # fmt: skip
        found = Table(
            (Column("finding"), Column("where")), lambda: ((one.kind, one.sentence()) for one in self.findings)
        )
        listing = (Listing(found, aside=True),) if self.findings else ()
        told = " ".join(self.expression.split()) if "\n" not in self.expression.strip() else ""
        across = " × ".join(f"{count:,}" for count in self.lengths)
        dtype = next(iter(self.at.values())).dtype
        facts = (told, f"{across} points", str(dtype).removeprefix("torch."), self.mode if self.mode != "grad" else "")
        return Report(" · ".join(filter(None, facts)), (table, *listing, Notes(self.notes, self.expression)))

    def _rows(self, places: range | list[int]) -> Iterator[tuple[Any, ...]]:
        """The numbers of some points, in row-major order of the grid."""
        for start in range(0, len(places), PART):
            yield from zip(*self._columns(places[start : start + PART]), strict=True)

    def _columns(self, places: range | list[int]) -> Iterator[list[Any]]:
        count = len(places)
        for name, values in self.at.items():
            across = prod(self.lengths[list(self.at).index(name) + 1 :])
            yield _cells(values, [place // across % len(values) for place in places])
        yield _cells(self.value.reshape(-1), places)
        for grad in self.grad.values():
            yield [None] * count if grad is None else _cells(grad.flatten(0, len(self.lengths) - 1), places)


def _cells(values: torch.Tensor, places: range | list[int]) -> list[Any]:
    """Some rows of a tensor: numbers, or tensors where a row is no single number."""
    rows = values[places.start : places.stop] if isinstance(places, range) else values[places]
    return numerals.numbers(rows) if rows.dim() == 1 else list(rows)
