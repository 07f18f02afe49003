"""What a check found, frozen: the verdict, and for each input what every witness said."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradcli.report import Axis, Column, Fields, Notes, Report, Table
from gradcli.results import SCHEMA, Note, Result, TensorView

if TYPE_CHECKING:
    import torch

WORST = 4  # elements that a table shows; other formats have all
DIGITS = 10
ERROR_DIGITS = 2

COLUMNS = (
    Column("element"), Column("witness"), Column("derivative", True, DIGITS), Column("±", True, ERROR_DIGITS),
    Column("error", True, ERROR_DIGITS), Column("relative", True, ERROR_DIGITS),
)  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class CheckedInput:
    """One input: the gradient as each witness has it, in the input's shape (None: that witness has none).

    `kinks` has the place and the slopes on the left and on the right of each element that is at a kink. `formula` is
    the exact derivative as text, where it is a short one.
    """

    view: TensorView
    reverse: torch.Tensor | None
    forward: torch.Tensor | None
    numeric: torch.Tensor
    exact: torch.Tensor | None
    accuracy: torch.Tensor
    kinks: tuple[tuple[int, float, float], ...] = ()
    formula: str | None = None

    def differences(self) -> list[tuple[float, float]]:
        """For each element the absolute and the relative error of reverse mode, against the best other witness."""
        best = self.exact if self.exact is not None else self.numeric
        numeric = self.numeric.reshape(-1).tolist()
        wanted = [a if a == a else b for a, b in zip(best.reshape(-1).tolist(), numeric, strict=True)]
        return [_apart(a, b) for a, b in zip(self._taken(), wanted, strict=True)]

    def _taken(self) -> list[float]:
        if self.reverse is None:
            return [0.0] * self.numeric.numel()
        return list(self.reverse.reshape(-1).tolist())

    def order(self) -> list[int]:
        """The elements, the worst first."""
        errors = self.differences()
        return sorted(range(len(errors)), key=lambda index: -_rank(errors[index][0]))

    def at(self, flat: int) -> dict[str, float | None]:
        """What each witness says of one element."""
        found = {
            "reverse": self.reverse, "forward": self.forward, "numeric": self.numeric, "accuracy": self.accuracy,
            "exact": self.exact,
        }  # fmt: skip
        return {name: None if one is None else float(one.reshape(-1)[flat]) for name, one in found.items()}

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        errors, axis = self.differences(), Axis("", self.view.shape)
        worst = self.order()[0] if errors else None
        return self.view.facts() | {
            "reverse": self.reverse, "forward": self.forward, "numeric": self.numeric, "accuracy": self.accuracy,
            "exact": self.exact, "formula": self.formula,
            "kinks": [{"index": list(axis.index(k)), "left": left, "right": right} for k, left, right in self.kinks],
            "max_abs_error": max((one for one, _ in errors), key=_rank, default=0.0),
            "max_rel_error": max((one for _, one in errors), key=_rank, default=0.0),
            "worst": None if worst is None else {"index": list(axis.index(worst)), **self.at(worst)},
        }  # fmt: skip

    def lines(self, name: str) -> Iterator[tuple[Any, ...]]:
        """A line for each witness of each element, the worst elements first."""
        axis, sides, taken = Axis(name, self.view.shape), {k: one for k, *one in self.kinks}, self._taken()
        for flat in self.order():
            label, said = axis.element(flat), self.at(flat)
            yield label, "reverse mode", "None" if said["reverse"] is None else said["reverse"], "", "", ""
            if said["forward"] is not None:
                yield label, "forward mode", said["forward"], "", *_apart(taken[flat], said["forward"])
            if flat in sides:
                left, right = sides[flat]
                yield label, "on the left", left, "", "", ""
                yield label, "on the right", right, "", "", ""
            else:
                yield label, "differences", said["numeric"], said["accuracy"], *_apart(taken[flat], said["numeric"])
            if said["exact"] is not None and said["exact"] == said["exact"]:
                yield label, "exact", said["exact"], "", *_apart(taken[flat], said["exact"])


def _apart(a: float, b: float | None) -> tuple[float, float]:
    """The absolute and the relative difference."""
    if b is None:
        return math.nan, math.nan
    return abs(a - b), abs(a - b) / abs(b) if b else (0.0 if a == b else math.inf)


def _rank(error: float) -> float:
    return math.inf if math.isnan(error) else error


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Check(Result):
    """The answer of `check`: `passed` is true, false, or None where the point cannot be judged."""

    expression: str
    passed: bool | None
    verdict: str
    inputs: Mapping[str, CheckedInput]
    notes: tuple[Note, ...]

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

    def report(self) -> Report:
        """The verdict, formulas, then the elements where reverse mode is furthest from the other witnesses."""

        def rows() -> Iterable[tuple[Any, ...]]:
            for name, one in self.inputs.items():
                yield from one.lines(name)

        facts = [("verdict", self.verdict)]
        facts += [(f"d/d{name}", one.formula) for name, one in self.inputs.items() if one.formula is not None]
        table = (
            (Table(COLUMNS, rows, most=4 * WORST),) if any(one.numeric.numel() for one in self.inputs.values()) else ()
        )
        told = tuple(note for note in self.notes if note.message.rstrip(".") not in self.verdict)
        title = " ".join(self.expression.split()) if "\n" not in self.expression.strip() else ""
        return Report(title, (Fields(lambda: facts), *table, Notes(told, self.expression)))
