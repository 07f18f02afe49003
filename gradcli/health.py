"""The health of a training, frozen: a verdict, what each parameter's gradients were, and notes on what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from gradcli.numerals import read_number
from gradcli.report import Column, Fields, Notes, Report, Section, Table
from gradcli.results import SCHEMA, Note, notebook, shown, written
from gradcli.seen import SeenTensor

DIGITS = 3
FOLD = 24  # parameters from which a table has a row a layer instead
MOST = 24  # rows that a terminal shows

_ORDER = ("error", "warning", "info")
_TENSORS = (
    Column("tensor"), Column("value", True), Column(".grad", True), Column("requires_grad"), Column("grad_fn"),
)  # fmt: skip
_SPARE = {"mean |g|": 4, "max": 3, "min": 2, "first": 1}  # what a narrow terminal is not shown, the highest first
_NUMBERS = ("first", "last", "min", "max", "mean |g|", "zeros", "update")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter, named as `named_parameters()` has it, and its gradients over the steps.

    A step counts in `none` where the gradient was None, in `zero` where it was exactly 0, in `nonfinite` where it
    held NaN or Inf. Norms (`first`, `last`, `low`, `high`) are of finite gradients at the `measured` steps, unscaled.
    `mean` is the mean of |g|, `zeros` the share of exact zeros, `update` the size of an update relative to the weight,
    `trend` the ratio of late to early norms; None where it was not measured.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    device: str
    requires_grad: bool
    optimizer: str | None
    steps: int = 0
    measured: int = 0
    none: int = 0
    zero: int = 0
    nonfinite: int = 0
    first: float | None = None
    last: float | None = None
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    zeros: float | None = None
    update: float | None = None
    trend: float | None = None
    codes: tuple[str, ...] = ()

    @property
    def layer(self) -> str:
        """The module that holds it."""
        return self.name.rpartition(".")[0] or self.name

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        return {
            "name": self.name, "shape": list(self.shape), "dtype": self.dtype, "device": self.device,
            "requires_grad": self.requires_grad, "optimizer": self.optimizer, "steps": self.steps,
            "measured": self.measured, "none": self.none, "zero": self.zero, "nonfinite": self.nonfinite,
            "norm": {"first": self.first, "last": self.last, "min": self.low, "max": self.high},
            "mean_abs": self.mean, "zeros": self.zeros, "update": self.update, "trend": self.trend,
            "codes": list(self.codes),
        }  # fmt: skip

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Parameter:
        """The parameter of an object of the JSON format."""
        norm = {name: read_number(one) for name, one in facts["norm"].items()}
        plain = (
            "name",
            "dtype",
            "device",
            "requires_grad",
            "optimizer",
            "steps",
            "measured",
            "none",
            "zero",
            "nonfinite",
        )
        return cls(
            **{name: facts[name] for name in plain}, shape=tuple(facts["shape"]), codes=tuple(facts["codes"]),
            first=norm["first"], last=norm["last"], low=norm["min"], high=norm["max"],
            mean=read_number(facts["mean_abs"]), zeros=facts["zeros"], update=read_number(facts["update"]),
            trend=read_number(facts["trend"]),
        )  # fmt: skip

    def row(self) -> dict[str, Any]:
        """The same, flat: a row of a data frame."""
        facts = self.facts()
        norm = {f"norm_{key}": value for key, value in facts.pop("norm").items()}
        return {**facts, "shape": "x".join(map(str, self.shape)), "codes": " ".join(self.codes), **norm}


@dataclass(frozen=True, slots=True)
class Seen:
    """How much was looked at: steps and backward passes, at how many steps norms were taken, at how many all else.

    `exact`: gradients were examined at every step; otherwise what stands between was not seen.
    """

    steps: int = 0
    backwards: int = 0
    measured: int = 0
    detailed: int = 0

    @property
    def exact(self) -> bool:
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


@dataclass(frozen=True, eq=False, slots=True)
class Health:
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
        """The verdict, the notes, then a row a parameter; a long model has a row a layer unless `all` is set."""
        facts = [("verdict", self.verdict)]
        if self.parameters and (self.seen.steps or self.seen.backwards):
            facts.append(("steps", str(self.seen)))
        if self.scaling:
            facts.append(("scale", str(self.scaling)))
        folded = len(self.parameters) > FOLD and not all
        notes = tuple(sorted(self.notes, key=lambda one: _ORDER.index(one.level)))
        parts: list[Section] = [Fields(lambda: facts), Notes(notes, "")]
        if self.parameters:
            parts.append(_layers(self.parameters) if folded else _parameters(self.parameters, all))
        if self.tensors and (all or not self.parameters):
            parts.append(Table(_TENSORS, self._tensors, sample=None if all else self._sample()))
        return Report("", tuple(parts))

    def _sample(self) -> tuple[Callable[[], Iterable[tuple[Any, ...]]], int] | None:
        """Some of very many tensors: those that require grad before the others."""
        if len(self.tensors) <= MOST:
            return None
        places = sorted(range(len(self.tensors)), key=lambda place: not self.tensors[place].requires_grad)
        chosen = [self.tensors[place] for place in sorted(places[:MOST])]
        return lambda: self._tensors(chosen), len(self.tensors) - MOST

    def _tensors(self, chosen: Iterable[SeenTensor] | None = None) -> Iterable[tuple[Any, ...]]:
        for one in self.tensors if chosen is None else chosen:
            grad = None if one.grad is None else one.grad.shown()
            yield one.name, one.value.shown(), grad, one.requires_grad, one.origin

    to_dict = written
    __str__ = shown
    _repr_html_ = notebook


def _columns(first: str) -> tuple[Column, ...]:
    numbers = (Column(name, True, DIGITS, _SPARE.get(name, 0)) for name in _NUMBERS)
    return (Column(first), *numbers, Column("trend"), Column("steps"))


def _parameters(parameters: tuple[Parameter, ...], all: bool) -> Table:
    """A row a parameter, in the model's own order."""

    def rows() -> Iterable[tuple[Any, ...]]:
        for one in parameters:
            numbers = (one.first, one.last, one.low, one.high, one.mean, one.zeros, one.update)
            yield one.name, *map(_cell, numbers), _trend(one.trend), _counts(one)

    return Table(_columns("parameter"), rows, most=None if all else MOST)


def _layers(parameters: tuple[Parameter, ...]) -> Table:
    """A row a layer, the worst first: those that findings name, then by how small their gradients are."""
    layers = [tuple(group) for _, group in groupby(parameters, key=lambda one: one.layer)]

    def rows() -> Iterable[tuple[Any, ...]]:
        for group in sorted(layers, key=_badness):
            yield _layer(group)

    return Table(_columns("layer"), rows, most=MOST)


def _badness(group: tuple[Parameter, ...]) -> tuple[int, float]:
    norms = [one.last for one in group if one.last is not None]
    return -max(len(one.codes) for one in group), max(norms, default=0.0)


def _layer(group: tuple[Parameter, ...]) -> tuple[Any, ...]:
    """Of each number that of the parameter where it is largest, of `min` the smallest; the worst of the counts."""
    worst = max(group, key=lambda one: (len(one.codes), one.none + one.zero + one.nonfinite))
    numbers = (
        max((one.first for one in group if one.first is not None), default=None),
        max((one.last for one in group if one.last is not None), default=None),
        min((one.low for one in group if one.low is not None), default=None),
        max((one.high for one in group if one.high is not None), default=None),
        max((one.mean for one in group if one.mean is not None), default=None),
        max((one.zeros for one in group if one.zeros is not None), default=None),
        max((one.update for one in group if one.update is not None), default=None),
    )  # fmt: skip
    size = f" ({len(group)})" if len(group) > 1 else ""
    return f"{group[0].layer}{size}", *map(_cell, numbers), _trend(worst.trend), _counts(worst)


def _cell(number: float | None) -> Any:
    return "" if number is None else number


def _trend(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return "rising" if ratio > 3 else "falling" if ratio < 1 / 3 else "steady"


def _counts(one: Parameter) -> str:
    """In how many steps the gradient was not an ordinary one; the number of steps where it always was."""
    told = ((one.none, "None"), (one.zero, "zero"), (one.nonfinite, "not finite"))
    odd = [f"{count:,} {what}" for count, what in told if count]
    return f"{', '.join(odd)} of {one.steps:,}" if odd else f"{one.steps:,}"
