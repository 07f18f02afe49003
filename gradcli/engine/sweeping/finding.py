"""The findings of a sweep along one input, put together from what its curve has and where its numbers fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from gradcli import numerals
from gradcli.engine.sweeping.candidates import candidates
from gradcli.engine.sweeping.curve import Curve, wide
from gradcli.engine.sweeping.distinct import ALIKE
from gradcli.engine.sweeping.exactly import confirmed
from gradcli.engine.sweeping.field import Field
from gradcli.engine.sweeping.narrowing import Function
from gradcli.engine.sweeping.numbers import Numbers
from gradcli.engine.sweeping.points import Axis
from gradcli.engine.sweeping.scan import scanned
from gradcli.engine.sweeping.spots import Spot, spots
from gradcli.engine.sweeping.stretches import Stretch, stretches
from gradcli.findings import Finding

HIDDEN = frozenset({"nan", "infinite", "lost"})  # stretches of one point that a spot there tells already


def along(axis: Axis, numbers: Numbers, field: Field) -> tuple[Finding, ...]:
    """The findings along one swept input of single numbers, in the order of their places."""
    grad, value = numbers.grads[axis.name], numbers.value
    if not axis.scalar or value.is_complex() or len(axis.values) < 2:
        return ()
    x, f, g = _ascending(axis.values, value, grad)
    precise = Curve(wide(field), axis.name, {})
    there = spots_on(precise, f, g, x)
    places = [one.x for one in there]
    lesser = x.dtype != torch.float64
    own = _as_computed(field, axis.name)
    failing = list(stretches(own, precise if lesser else None, x, f, g, places))
    failing = confirmed(field, axis.name, failing, x.dtype)
    apart = float(x.diff().median()) if len(x) > 2 else 0.0
    told = _Told(axis.name, x.dtype, f.dtype)
    kept = [one for one in failing if not _told_by(one, places, torch.finfo(x.dtype).eps, apart)]
    found = [(one.x, told.spot(one)) for one in there] + [(one.low, told.stretch(one)) for one in kept]
    return tuple(finding for _, finding in sorted(found, key=lambda pair: pair[0]))


def spots_on(precise: Curve, f: torch.Tensor, g: torch.Tensor | None, x: torch.Tensor) -> list[Spot]:
    """What a curve has between the first and the last of ascending points, where f and g are its numbers."""
    scan = scanned(f, g, x, precise.field.way == "loop")
    values, slopes = precise(scan)
    found = list(spots(precise, candidates(precise, scan, values, slopes), float(scan[0]), float(scan[-1])))
    finite = values[values.isfinite()].abs()
    noise = 16 * torch.finfo(values.dtype).eps * float(finite.median()) if len(finite) else 0.0
    return [one if one.value is None or abs(one.value) > noise else one._replace(value=0.0) for one in found]


def _ascending(
    x: torch.Tensor, f: torch.Tensor, g: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    if bool((x[1:] >= x[:-1]).all()):
        return x, f, g
    order = x.argsort()
    return x[order], f[order], None if g is None else g[order]


def _as_computed(field: Field, name: str) -> Function:
    """Values and slopes in the dtype of the sweep."""

    def function(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        numbers = field.at({name: x})
        grad = numbers.grads[name]
        return numbers.value, torch.full_like(x, torch.nan) if grad is None else grad

    return function


def _told_by(one: Stretch, places: Sequence[float], eps: float, apart: float) -> bool:
    """Whether a stretch of a point or two is what a spot tells already; points are so far `apart`."""
    if one.kind not in HIDDEN or one.points > 2:
        return False
    reach = max(4 * eps * max(abs(one.low), abs(one.high)), ALIKE * apart)
    return any(one.low - reach <= place <= one.high + reach for place in places)


class _Told:
    """Makes findings with the digits that a dtype has."""

    def __init__(self, name: str, dtype: torch.dtype, values: torch.dtype) -> None:
        self.name, self.dtype = name, dtype
        self.values = values if values.is_floating_point else dtype

    def spot(self, one: Spot) -> Finding:
        sloping = one.kind == "kink" or one.of == "gradient"
        dtype = self.dtype if sloping else self.values
        return Finding(
            one.kind, {self.name: rounded(one.x, self.dtype)}, one.of, self.name if sloping else None,
            None if one.value is None else rounded(one.value, self.values),
            None if one.sides is None else (rounded(one.sides[0], dtype), rounded(one.sides[1], dtype)), one.extremum,
        )  # fmt: skip

    def stretch(self, one: Stretch) -> Finding:
        low, high = rounded(one.low, self.dtype), rounded(one.high, self.dtype)
        says = lost(one.was, self.dtype, one.digits) if one.kind == "lost" else None
        return Finding(
            one.kind, {self.name: low if low == high else (low, high)}, one.of,
            self.name if one.of == "gradient" else None, points=one.points, says=says,
        )  # fmt: skip


def lost(was: str, dtype: torch.dtype, digits: bool = False) -> str:
    """What a lost number became."""
    became = {"zero": "0", "nan": "NaN"}.get(was, was)
    return f"{became} in {str(dtype).removeprefix('torch.')} and not {'with more digits' if digits else 'in float64'}"


def rounded(number: float, dtype: torch.dtype) -> float:
    """A number with the digits that a dtype has, without what float64 computed beyond its own precision."""
    near = float(f"{number:.15g}") if dtype == torch.float64 else number
    found = numerals.numbers(torch.tensor([near], dtype=torch.float64).to(dtype))[0]
    return float(found) + 0.0


def refusals(axes: Sequence[Axis], field: Field) -> Iterator[Finding]:
    """What torch refused, a stretch for each message: from the first to the last of its points."""
    lengths = [len(one.values) for one in axes]
    by_message: dict[str, list[int]] = {}
    for place, error in field.refused:
        by_message.setdefault(error.message, []).append(place)
    for message, places in by_message.items():
        where = {}
        for index, axis in enumerate(axes):
            across = 1
            for length in lengths[index + 1 :]:
                across *= length
            if axis.scalar:
                taken = numerals.numbers(axis.values[[place // across % len(axis.values) for place in places]])
                where[axis.name] = min(taken) if min(taken) == max(taken) else (min(taken), max(taken))
        yield Finding("refused", where, points=len(places), says=message)
