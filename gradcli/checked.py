"""What a check found, frozen: the verdict, and for each input what every witness said."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradcli.report import Column, Fields, Notes, Report, Table
from gradcli.results import SCHEMA, Note, TensorView, plain

if TYPE_CHECKING:
    import torch

WORST = 10  # elements that a table shows
DIGITS = 7  # in a table; csv and json have all
ERROR_DIGITS = 2


@dataclass(frozen=True, eq=False, slots=True)
class CheckedInput:
    """One input: the gradient as each witness has it, in the input's shape (None: that witness has none)."""

    view: TensorView
    reverse: torch.Tensor | None
    forward: torch.Tensor | None
    numeric: torch.Tensor
    exact: torch.Tensor | None
    accuracy: torch.Tensor

    def differences(self) -> list[tuple[float, float]]:
        """For each element the absolute and the relative error of reverse mode, against the best other witness."""
        truth = self.exact if self.exact is not None else self.numeric
        wanted = truth.reshape(-1).tolist()
        got = self.reverse.reshape(-1).tolist() if self.reverse is not None else [0.0] * len(wanted)
        return [
            (abs(a - b), abs(a - b) / abs(b) if b else (0.0 if a == b else math.inf))
            for a, b in zip(got, wanted, strict=True)
        ]

    def order(self) -> list[int]:
        """The elements, the worst first."""
        errors = self.differences()
        return sorted(range(len(errors)), key=lambda index: -_rank(errors[index][0]))

    def index(self, flat: int) -> list[int]:
        """The place of an element in the input's shape."""
        place: list[int] = []
        for size in reversed(self.view.shape):
            flat, part = divmod(flat, size)
            place.insert(0, part)
        return place

    def at(self, flat: int) -> dict[str, float | None]:
        """What each witness says of one element."""
        found = {
            "reverse": self.reverse, "forward": self.forward, "numeric": self.numeric, "accuracy": self.accuracy,
            "exact": self.exact,
        }  # fmt: skip
        return {name: None if one is None else float(one.reshape(-1)[flat]) for name, one in found.items()}

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        errors = self.differences()
        worst = self.order()[0] if errors else None
        return self.view.facts() | {
            "reverse": self.reverse, "forward": self.forward, "numeric": self.numeric, "accuracy": self.accuracy,
            "exact": self.exact,
            "max_abs_error": max((one for one, _ in errors), key=_rank, default=0.0),
            "max_rel_error": max((one for _, one in errors), key=_rank, default=0.0),
            "worst": None if worst is None else {"index": self.index(worst), **self.at(worst)},
        }  # fmt: skip


def _rank(error: float) -> float:
    return math.inf if math.isnan(error) else error


@dataclass(frozen=True, eq=False, slots=True)
class Check:
    """The answer of `check`: `passed` is true, false, or None where the point cannot be judged."""

    expression: str
    passed: bool | None
    verdict: str
    inputs: Mapping[str, CheckedInput]
    notes: tuple[Note, ...]
    source: str = ""

    @property
    def exit_no(self) -> bool:
        """Whether the answer is "no"."""
        return self.passed is False

    def document(self) -> dict[str, Any]:
        """The JSON object, with tensors where their numbers will stand."""
        return {
            "schema": SCHEMA, "command": "check", "status": "ok", "expression": self.expression, "mode": "grad",
            "passed": self.passed, "verdict": self.verdict, "inputs": [one.facts() for one in self.inputs.values()],
            "notes": [note.to_dict() for note in self.notes],
        }  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as plain data."""
        return dict(plain(self.document()))

    def report(self) -> Report:
        """The verdict, then the elements where reverse mode is furthest from the other witnesses."""
        names = (("reverse", DIGITS), ("forward", DIGITS), ("numeric", DIGITS), ("±", ERROR_DIGITS), ("exact", DIGITS))
        columns = (
            Column("element"),
            *(Column(name, True, digits) for name, digits in names),
            Column("error", True, ERROR_DIGITS),
            Column("relative", True, ERROR_DIGITS),
        )

        def rows() -> Iterable[tuple[Any, ...]]:
            for name, one in self.inputs.items():
                errors = one.differences()
                for flat in one.order()[:WORST]:
                    place = one.index(flat)
                    label = f"{name}[{', '.join(map(str, place))}]" if place else name
                    yield (label, *one.at(flat).values(), *errors[flat])

        table = (Table(columns, rows),) if self.inputs else ()
        told = tuple(note for note in self.notes if note.message.rstrip(".") not in self.verdict)
        return Report(
            self.expression.strip(),
            (Fields(lambda: [("verdict", self.verdict)]), *table, Notes(told, self.source)),
        )

    def __str__(self) -> str:
        from gradcli.render import table

        return table.text(self.report())

    def _repr_html_(self) -> str:
        from gradcli.render import table

        return table.html(self.report())
