"""The health of a training as a report: the verdict, findings by severity, and a row a parameter, layer or tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Any

from gradcli.parameters import Parameter
from gradcli.report import Column, Fields, Notes, Report, Section, Table
from gradcli.results import LEVELS
from gradcli.seen import SeenTensor

if TYPE_CHECKING:
    from gradcli.health import Health

DIGITS = 3
FOLD = 24  # parameters from which a table has a row a layer instead
MOST = 24  # rows that a terminal shows

_TENSORS = (
    Column("tensor"), Column("value", True), Column(".grad", True), Column("requires_grad"), Column("grad_fn"),
)  # fmt: skip
# A number of a parameter: its column, its field, of which parameter of a layer it is told, and when a narrow terminal
# leaves it out, the highest first.
_NUMBERS: tuple[tuple[str, str, Callable[[Iterable[float]], float], int], ...] = (
    ("first", "first", max, 1),
    ("last", "last", max, 0),
    ("min", "low", min, 2),
    ("max", "high", max, 3),
    ("mean |g|", "mean", max, 4),
    ("zeros", "zeros", max, 0),
    ("update", "update", max, 0),
)


def of_health(health: Health, all: bool) -> Report:
    """The verdict, the notes, then a row a parameter; a long model has a row a layer unless `all` is set."""
    facts = [("verdict", health.verdict)]
    if health.parameters and (health.seen.steps or health.seen.backwards):
        facts.append(("steps", str(health.seen)))
    if health.scaling:
        facts.append(("scale", str(health.scaling)))
    folded = len(health.parameters) > FOLD and not all
    notes = tuple(sorted(health.notes, key=lambda one: LEVELS.index(one.level)))
    parts: list[Section] = [Fields(lambda: facts), Notes(notes, "")]
    if health.parameters:
        parts.append(_layers(health.parameters) if folded else _parameters(health.parameters, all))
    if health.tensors and (all or not health.parameters):
        parts.append(Table(_TENSORS, lambda: _rows(health.tensors), sample=None if all else _sample(health.tensors)))
    return Report("", tuple(parts))


def _sample(tensors: tuple[SeenTensor, ...]) -> tuple[Callable[[], Iterable[tuple[Any, ...]]], int] | None:
    """Some of very many tensors: those that require grad before the others."""
    if len(tensors) <= MOST:
        return None
    places = sorted(range(len(tensors)), key=lambda place: not tensors[place].requires_grad)
    chosen = [tensors[place] for place in sorted(places[:MOST])]
    return lambda: _rows(chosen), len(tensors) - MOST


def _rows(tensors: Iterable[SeenTensor]) -> Iterable[tuple[Any, ...]]:
    for one in tensors:
        grad = None if one.grad is None else one.grad.shown()
        yield one.name, one.value.shown(), grad, one.requires_grad, one.origin


def _columns(first: str) -> tuple[Column, ...]:
    numbers = (Column(title, True, DIGITS, spare) for title, _, _, spare in _NUMBERS)
    return (Column(first), *numbers, Column("trend"), Column("steps"))


def _parameters(parameters: tuple[Parameter, ...], all: bool) -> Table:
    """A row a parameter, in the model's own order."""
    return Table(
        _columns("parameter"), lambda: (_row(one.name, (one,), one) for one in parameters), most=None if all else MOST
    )


def _layers(parameters: tuple[Parameter, ...]) -> Table:
    """A row a layer, the worst first: those that findings name, then by how small their gradients are."""
    layers = [tuple(group) for _, group in groupby(parameters, key=lambda one: one.layer)]
    return Table(_columns("layer"), lambda: map(_layer, sorted(layers, key=_badness)), most=MOST)


def _badness(group: tuple[Parameter, ...]) -> tuple[int, float]:
    norms = [one.last for one in group if one.last is not None]
    return -max(len(one.codes) for one in group), max(norms, default=0.0)


def _layer(group: tuple[Parameter, ...]) -> tuple[Any, ...]:
    """The numbers of a layer, and the counts of its worst parameter."""
    worst = max(group, key=lambda one: (len(one.codes), one.none + one.zero + one.nonfinite))
    size = f" ({len(group)})" if len(group) > 1 else ""
    return _row(f"{group[0].layer}{size}", group, worst)


def _row(name: str, group: tuple[Parameter, ...], counted: Parameter) -> tuple[Any, ...]:
    """The numbers of some parameters together, empty where none was measured, and the counts of one."""
    numbers = []
    for _, field, fold, _ in _NUMBERS:
        measured = [value for one in group if (value := getattr(one, field)) is not None]
        numbers.append(fold(measured) if measured else "")
    return name, *numbers, _trend(counted.trend), _counts(counted)


def _trend(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return "rising" if ratio > 3 else "falling" if ratio < 1 / 3 else "steady"


def _counts(one: Parameter) -> str:
    """In how many steps the gradient was not an ordinary one; the number of steps where it always was."""
    told = ((one.none, "None"), (one.zero, "zero"), (one.nonfinite, "not finite"))
    odd = [f"{count:,} {what}" for count, what in told if count]
    return f"{', '.join(odd)} of {one.steps:,}" if odd else f"{one.steps:,}"
