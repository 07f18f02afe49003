"""What a curve has at a place, told by the numbers on both sides of it, ever closer.

At offsets δ, δ/4, δ/16, … a continuous function approaches what it is at the place, and a leap stays as large as it is;
what grows without bound goes on growing by as much. Slopes of the value itself prove a kink of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import NamedTuple

import torch

from gradcli.engine.sweeping.brackets import FAINT
from gradcli.engine.sweeping.distinct import Candidate
from gradcli.engine.sweeping.narrowing import Function
from gradcli.engine.sweeping.sides import NEAREST, OFFSETS, Approach, Side, offsets_of

AT = 5  # the offset at which the value's own slope is taken: its change is well above its rounding there
SHARE = 0.25  # of the change of the gradient that the value's own slope must have
STAYS = 0.5  # of a difference that is there at offsets 4096 times as large
NOISE = 1e-7  # of the slopes around it
ROUGH = 4.0  # times the spread of slopes next to the place
SHRINKS = 0.7  # of a slope that goes to 0, at offsets so much closer
TINY = 2.0**-1022  # where float64 begins


class Spot(NamedTuple):
    """What is at a place: a kind of finding, and its facts."""

    kind: str
    x: float
    of: str = "value"
    value: float | None = None
    sides: tuple[float, float] | None = None
    extremum: str | None = None


def spots(function: Function, found: Sequence[Candidate], low: float, high: float) -> Iterator[Spot]:
    """What is at each candidate, of those between `low` and `high`."""
    found = [one for one in found if low <= one.x <= high]
    if not found:
        return
    x = torch.tensor([one.x for one in found], dtype=torch.float64)
    gaps = torch.cat([x.new_tensor([high - low]), x.diff(), x.new_tensor([high - low])]) / 3
    ulp = torch.nextafter(x.abs(), x.new_tensor(torch.inf)) - x.abs()
    asked = [offsets_of(width, ulp) for width in (gaps[:-1], gaps[1:])]
    below, above = (torch.cat(one, 1) for one in asked)
    f, g = function(torch.cat([x[:, None], x[:, None] - below, x[:, None] + above], 1))
    half = OFFSETS + len(NEAREST)
    sides = [
        Approach(f[:, start : start + half], g[:, start : start + half], *offsets)
        for start, offsets in zip((1, 1 + half), asked, strict=True)
    ]
    for index, one in enumerate(found):
        spot = _told(one, float(f[index, 0]), *(Side(side, index) for side in sides))
        if spot is not None:
            yield spot


def _told(one: Candidate, f: float, below: Side, above: Side) -> Spot | None:
    if not (below.there or below.unbounded) or not (above.there or above.unbounded):
        return _at_end(one, f, below if below.there or below.unbounded else above)
    if below.unbounded or above.unbounded:
        return Spot("pole", one.x, sides=(_bound(below), _bound(above)))
    around = TINY + 1e-9 * max(abs(one) for side in (below, above) for one in (side.near_f, side.f[2]))
    leaps = not abs(above.near_f - below.near_f) <= around
    if leaps and _stays([b - a for a, b in zip(below.f, above.f, strict=True)], around):
        return Spot("jump", one.x, value=f if f == f else None, sides=(below.near_f, above.near_f))
    if f != f:
        return Spot("gap", one.x, sides=(below.near_f, above.near_f))
    if abs(f - below.near_f) > TINY + 1e-6 * max(abs(f), abs(below.near_f)) + abs(below.f[8] - below.f[4]):
        return Spot("jump", one.x, value=f, sides=(below.near_f, above.near_f))
    return _of_slopes(one, f, below, above)


def _at_end(one: Candidate, f: float, side: Side) -> Spot | None:
    """Where the curve has numbers on one side alone."""
    if not side.there and not side.unbounded:
        return None
    if side.unbounded or (side.steep and abs(f) == float("inf")):
        bound = _bound(side) if side.unbounded else f
        return Spot("pole", one.x, sides=None, value=bound)
    return Spot("infinite", one.x, of="gradient", value=f if abs(f) < float("inf") else None) if side.steep else None


def _of_slopes(one: Candidate, f: float, below: Side, above: Side) -> Spot | None:
    """Kinks and stationary points: the value is continuous."""
    signs = below.turn(), above.turn()
    extremum = {(-1, 1): "minimum", (1, -1): "maximum"}.get(signs)
    if below.steep and above.steep and signs[0] == signs[1]:
        return Spot("infinite", one.x, of="gradient", value=f)
    slopes = _slope(below), _slope(above)
    around = NOISE * max(abs(below.g[2]), abs(above.g[2]), abs(below.g[0]), abs(above.g[0]))
    around = TINY + max(around, ROUGH * below.rough, ROUGH * above.rough)
    differs = [b - a for a, b in zip(below.g, above.g, strict=True)]
    if below.steep or above.steep or _stays(differs, around):
        if not (below.steep or above.steep) and _hidden(f, below, above):
            return None
        if _proved(f, below, above):
            return Spot("kink", one.x, value=f, sides=slopes, extremum=extremum)
        return Spot("jump", one.x, of="gradient", value=f, sides=slopes) if all(map(isfinite, slopes)) else None
    if one.kind not in {"turn", "touch"} or 0 in signs or _faint(f, below, above):
        return None
    if any(abs(side.g[12]) > SHRINKS * abs(side.g[3]) for side in (below, above)):
        return None  # the slope is 0 at this number alone
    return Spot(extremum or "inflection", one.x, value=f)


def _faint(f: float, below: Side, above: Side) -> bool:
    """Whether the slopes around tell of no more than the rounding of the value."""
    change = max(abs(side.g[at]) * side.offsets[at] for side in (below, above) for at in range(4))
    return change <= FAINT * max(abs(f), abs(below.f[0]), abs(above.f[0]))


def _slope(side: Side) -> float:
    """The slope next to the place; infinite where it grows without bound."""
    if side.steep:
        return float("inf") if side.g[-1] > 0 else float("-inf")
    return side.near_g if side.near_g == side.near_g else side.g[-1]


def _bound(side: Side) -> float:
    return side.near_f if not side.unbounded else float("inf") if side.f[-1] > 0 else float("-inf")


def _stays(differences: list[float], noise: float) -> bool:
    """Whether a difference of both sides does not go away, without the part of it that goes with the distance."""
    middle, last = (abs(4 * differences[at] - differences[at - 1]) / 3 for at in (6, 12))
    return last > STAYS * middle and last > noise


def _hidden(f: float, below: Side, above: Side) -> bool:
    """Whether slopes that differ so little are hidden by the rounding of the value, or by a leap of it."""
    told = abs(above.g[AT] - below.g[AT]) * above.offsets[AT]
    leap = abs(above.near_f - below.near_f) - (abs(above.near_g) + abs(below.near_g)) * max(below.near, above.near)
    return told <= FAINT * abs(f) or leap > told


def _proved(f: float, below: Side, above: Side) -> bool:
    """Whether the slopes of the value itself differ as those of the gradient do."""
    left, right = (f - below.f[AT]) / below.offsets[AT], (above.f[AT] - f) / above.offsets[AT]
    return abs(right - left) > SHARE * abs(above.g[AT] - below.g[AT])
