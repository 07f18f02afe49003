"""Places where a curve may have something: found on a scan of it, narrowed down to adjacent numbers.

`turn`: the slope changes its sign or is 0; `touch`: it comes close to 0 and goes back; `leap`: slope or value change
more than their neighbourhood tells; `edge`: the value begins or ends to be finite.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch

from gradcli.engine.sweeping import bisecting
from gradcli.engine.sweeping.bisecting import Ends, Function, halved

MOST = 4096  # brackets of one kind that are followed up
SHARE = 0.25  # of a change that the neighbourhood does not tell
LEFT = 1e-3  # of a change that is still there between adjacent numbers: a leap
TOUCHES = 1e-9  # of the slopes beside it: a slope that touches 0
ROUGH = 1e-11  # of a slope or a value: what its rounding may come to
FAINT = 32 * 2.0**-52  # of a value: what its rounding hides
ALIKE = 1e-9  # of the distance between scanned points: one place
ORDER = ("turn", "touch", "edge", "leap")


class Candidate(NamedTuple):
    """A place, what points to it, and the distance between scanned points there."""

    x: float
    kind: str
    spacing: float


def candidates(function: Function, x: torch.Tensor, f: torch.Tensor, g: torch.Tensor) -> list[Candidate]:
    """All candidates on a scan in ascending order, each place once."""
    scan = Ends(x, f, g)
    found = [*_turns(function, scan), *_touches(function, scan), *_edges(function, scan), *_leaps(function, scan)]
    return _distinct(sorted(found, key=lambda one: (one.x, ORDER.index(one.kind))))


def _ends(scan: Ends, places: torch.Tensor, width: int = 1) -> tuple[Ends, Ends]:
    return scan.at(places), scan.at(places + width)


def _limited(mask: torch.Tensor, weight: torch.Tensor | None = None) -> torch.Tensor:
    """The places where a mask is true: the first ones, or those of the greatest weight."""
    places = mask.nonzero().flatten()
    if len(places) > MOST:
        places = places[:MOST] if weight is None else places[weight[places].topk(MOST).indices].sort().values
    return places


def _turns(function: Function, scan: Ends) -> Iterator[Candidate]:
    sign = scan.g.sign()
    places = _limited(sign[:-1] * sign[1:] < 0)
    low, high = halved(function, *_ends(scan, places), bisecting.turns, bisecting.at_zero)
    yield from _made(function, scan, places, low, high, "turn")
    beside = torch.cat([sign.new_full((1,), torch.nan), sign, sign.new_full((1,), torch.nan)])
    alone = _limited((sign == 0) & (beside[:-2] != 0) & (beside[2:] != 0))
    for place in alone.tolist():
        yield Candidate(float(scan.x[place]), "turn", _spacing(scan.x, place))


def _touches(function: Function, scan: Ends) -> Iterator[Candidate]:
    size, sign = scan.g.abs(), scan.g.sign()
    same = (sign[:-2] == sign[1:-1]) & (sign[1:-1] == sign[2:]) & (sign[1:-1] != 0)
    places = _limited(same & (size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:]) & size[:-2].isfinite())
    if not len(places):
        return
    (low, high), step = _ends(scan, places, 2), (scan.x[places + 2] - scan.x[places]) * 1e-4
    below, above = low.x, high.x
    for _ in range(48):
        middle = below + (above - below) / 2
        slopes = function(torch.stack([middle - step, middle + step]))[1].abs()
        falls = slopes[1] < slopes[0]
        below, above = torch.where(falls, middle, below), torch.where(falls, above, middle)
    f, g = function(below)
    least = Ends(below, f, g)
    across = (g.sign() != low.g.sign()) & (g != 0)
    for one, other in ((low, least), (least, high)):
        start, stop = halved(function, one.at(across), other.at(across), bisecting.turns, bisecting.at_zero)
        yield from _made(function, scan, places[across], start, stop, "turn")
    near = (g.abs() <= TOUCHES * torch.maximum(low.g.abs(), high.g.abs())) & ~across
    chosen = least.at(near)
    yield from _made(function, scan, places[near], chosen, chosen, "touch")


def _edges(function: Function, scan: Ends) -> Iterator[Candidate]:
    finite = scan.f.isfinite()
    places = _limited(finite[:-1] != finite[1:])
    low, high = halved(function, *_ends(scan, places), bisecting.ends_finite)
    yield from _made(function, scan, places, low, high, "edge")


def _leaps(function: Function, scan: Ends) -> Iterator[Candidate]:
    low, high = Ends(*(one[:-1] for one in scan)), Ends(*(one[1:] for one in scan))
    known = low.f.isfinite() & high.f.isfinite()
    slope = torch.where(known, high.g - low.g, torch.nan).nan_to_num(nan=0.0)
    expected = (_moved(slope, 1) + _moved(slope, -1)) / 2
    change = (slope - expected).abs()
    # The rounding of values and slopes makes small leaps of its own.
    size = torch.maximum(low.f.abs(), high.f.abs()).nan_to_num(nan=0.0)
    steepest = torch.maximum(low.g.abs(), high.g.abs()).nan_to_num(nan=0.0, posinf=0.0)
    seen = (change > ROUGH * steepest) & (change * (high.x - low.x) > FAINT * size)
    places = _limited(known & (change > SHARE * slope.abs()) & seen, change)
    if len(places):
        ends = halved(function, *_ends(scan, places), bisecting.steeper, bisecting.no_number)
        left = (ends[1].g - ends[0].g).abs() > LEFT * slope[places].abs()
        kept = left | _met(*ends)
        yield from _made(function, scan, places[kept], ends[0].at(kept), ends[1].at(kept), "leap")
    leap = torch.where(known, bisecting.leap(low, high), torch.nan).nan_to_num(nan=0.0).abs()
    places = _limited(known & (leap > SHARE * (high.f - low.f).abs()) & (leap > ROUGH * size), leap)
    if len(places):
        ends = halved(function, *_ends(scan, places), bisecting.leaps, bisecting.no_number)
        left = (ends[1].f - ends[0].f).abs() > LEFT * leap[places]
        kept = left | _met(*ends)
        yield from _made(function, scan, places[kept], ends[0].at(kept), ends[1].at(kept), "leap")


def _moved(values: torch.Tensor, by: int) -> torch.Tensor:
    """The neighbours of values; at an end the one that is there."""
    moved = values.roll(by)
    if len(values) > 1:
        moved[0 if by > 0 else -1] = values[1 if by > 0 else -2]
    return moved


def _met(low: Ends, high: Ends) -> torch.Tensor:
    """Brackets that ended at a number that is no number of the curve."""
    return (low.x == high.x) & ~(low.f.isfinite() & low.g.isfinite())


def _made(
    function: Function, scan: Ends, places: torch.Tensor, low: Ends, high: Ends, kind: str
) -> Iterator[Candidate]:
    """A candidate for each bracket: of both its ends and the round number at them the one that fits best."""
    if not len(places):
        return
    spacings = [_spacing(scan.x, place) for place in places.tolist()]
    pairs = list(zip(low.x.tolist(), high.x.tolist(), strict=True))
    rounds = [_round(a, spacing) for (a, _), spacing in zip(pairs, spacings, strict=True)]
    slopes = function(scan.x.new_tensor(rounds))[1].abs().tolist()
    ends = zip(low.g.abs().tolist(), high.g.abs().tolist(), strict=True)
    for (a, b), spacing, near, slope, (left, right) in zip(pairs, spacings, rounds, slopes, ends, strict=True):
        tight = 2 * math.ulp(max(abs(a), abs(b)))
        flatter = kind in {"turn", "touch"} and (slope < min(left, right) or slope == 0)
        if min(abs(near - a), abs(near - b)) <= max(tight, 1e-16 * spacing) or flatter:
            yield Candidate(near, kind, spacing)
        else:
            yield Candidate(a if left <= right or kind != "turn" else b, kind, spacing)


def _round(number: float, spacing: float) -> float:
    """A number to so many digits that it moves by much less than the distance of scanned points."""
    return round(number, 10 - math.floor(math.log10(spacing))) + 0.0


def _spacing(x: torch.Tensor, place: int) -> float:
    """The distance to the next scanned point."""
    other = place + 1 if place + 1 < len(x) else place - 1
    return abs(float(x[other] - x[place]))


def _distinct(found: list[Candidate]) -> list[Candidate]:
    """One candidate for each place: those of a cluster that come first in ORDER, the roundest of them."""
    kept: list[Candidate] = []
    for one in found:
        if kept and one.x - kept[-1].x <= max(ALIKE * one.spacing, 8 * math.ulp(one.x)):
            kept[-1] = min(kept[-1], one, key=lambda each: (len(repr(each.x)), ORDER.index(each.kind)))._replace(
                kind=min(kept[-1].kind, one.kind, key=ORDER.index)
            )
        else:
            kept.append(one)
    return kept
