"""Brackets between scanned points of a curve, each of which may hold something.

`turn`: the slope changes its sign; `touch`: it comes close to 0 and goes back; `leap`: slope or value change more than
their neighbourhood tells; `edge`: the value begins or ends to be finite.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import torch

from gradcli.engine.sweeping.curve import Curve
from gradcli.engine.sweeping.narrowing import EDGE, LEAP, RULES, STEEPER, TURN, Ends, Rule, leap, narrowed

MOST = 4096  # brackets of one kind that are followed up
SHARE = 0.25  # of a change that the neighbourhood does not tell
TOUCHES = 1e-9  # of the slopes beside it: a slope that touches 0
ROUGH = 1e-11  # of a slope or a value: what its rounding may come to
FAINT = 32 * 2.0**-52  # of a value: what its rounding hides
DEEP = 0.6  # of the slope beside it: a slope that touches 0 has come down to less
STANDS_OUT = 3.0  # times what is to be seen three points further on


class Brackets(NamedTuple):
    """Brackets of one kind, by their two ends; `rule` of RULES narrows them, `spacing`: of the points of the scan."""

    kind: str
    rule: int
    low: Ends
    high: Ends
    spacing: torch.Tensor


def turns(scan: Ends) -> Brackets:
    """Where the slope changes its sign from a point to the next."""
    sign = scan.g.sign()
    return _brackets(scan, "turn", TURN, limited(sign[:-1] * sign[1:] < 0))


def edges(scan: Ends) -> Brackets:
    """Where the value begins or ends to be finite."""
    finite = scan.f.isfinite()
    return _brackets(scan, "edge", EDGE, limited(finite[:-1] != finite[1:]))


def touches(curve: Curve, scan: Ends) -> tuple[Brackets | None, list[Brackets]]:
    """Where the slope comes to 0 and goes back: places, and brackets where it crosses 0 between scanned points."""
    size, sign = scan.g.abs(), scan.g.sign()
    same = (sign[:-2] == sign[1:-1]) & (sign[1:-1] == sign[2:]) & (sign[1:-1] != 0)
    lowest = (size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:])
    deep = size[1:-1] <= DEEP * torch.maximum(size[:-2], size[2:])
    places = limited(same & lowest & deep & size[:-2].isfinite())
    if not len(places):
        return None, []
    low, high, spacing = scan.at(places), scan.at(places + 2), spacings(scan.x, places)
    least = _flattest(curve, low, high)
    across = (least.g.sign() != low.g.sign()) & (least.g != 0)
    turn = RULES.index(TURN)
    asked = [
        Brackets("turn", turn, one.at(across), other.at(across), spacing[across])
        for one, other in ((low, least), (least, high))
    ]
    near = (least.g.abs() <= TOUCHES * torch.maximum(low.g.abs(), high.g.abs())) & ~across
    return Brackets("touch", turn, least.at(near), least.at(near), spacing[near]), asked


def leaps(scan: Ends) -> Iterator[Brackets]:
    """Where the slope, and where the value, changes by more than its neighbourhood tells."""
    low, high = Ends(*(one[:-1] for one in scan)), Ends(*(one[1:] for one in scan))
    known = low.f.isfinite() & high.f.isfinite()
    slope = torch.where(known, high.g - low.g, torch.nan).nan_to_num(nan=0.0)
    width = high.x - low.x
    rate = slope / width
    expected = (_moved(rate, 1) + _moved(rate, -1)) / 2 * width
    change = (slope - expected).abs()
    # The rounding of values and slopes makes small leaps of its own.
    size = torch.maximum(low.f.abs(), high.f.abs()).nan_to_num(nan=0.0)
    steepest = torch.maximum(low.g.abs(), high.g.abs()).nan_to_num(nan=0.0, posinf=0.0)
    seen = (change > ROUGH * steepest) & (change * width > FAINT * size)
    places = limited(known & (change > SHARE * slope.abs()) & seen & _stands_out(change), change)
    yield _brackets(scan, "leap", STEEPER, places)
    untold = torch.where(known, leap(low, high), torch.nan).nan_to_num(nan=0.0)
    seen = (untold > SHARE * (high.f - low.f).abs()) & (untold > ROUGH * size)
    yield _brackets(scan, "leap", LEAP, limited(known & seen & _stands_out(untold), untold))


def _flattest(curve: Curve, low: Ends, high: Ends) -> Ends:
    """Where the slope is closest to 0: where its own slope is 0, or is so by differences."""
    if not curve.alone:
        with suppress(Exception):  # what has no second derivative
            bent, other = (Ends(one.x, *curve.bend(one.x)) for one in (low, high))
            below, above, _ = narrowed(curve.bend, bent, other, torch.full((len(low.x),), RULES.index(TURN)))
            x = torch.where(below.g.abs() <= above.g.abs(), below.x, above.x)
            if bool((below.g.isfinite() & above.g.isfinite()).all()):
                return Ends(x, *curve(x))
    first, last, step = low.x, high.x, (high.x - low.x) * 1e-4
    for _ in range(48):
        middle = first + (last - first) / 2
        slopes = curve(torch.stack([middle - step, middle + step]))[1].abs()
        falls = slopes[1] < slopes[0]
        first, last = torch.where(falls, middle, first), torch.where(falls, last, middle)
    return Ends(first, *curve(first))


def _brackets(scan: Ends, kind: str, rule: Rule, places: torch.Tensor) -> Brackets:
    """The brackets that begin at some places of a scan."""
    return Brackets(kind, RULES.index(rule), scan.at(places), scan.at(places + 1), spacings(scan.x, places))


def limited(mask: torch.Tensor, weight: torch.Tensor | None = None) -> torch.Tensor:
    """The places where a mask is true: the first ones, or those of the greatest weight."""
    places = mask.nonzero().flatten()
    if len(places) > MOST:
        places = places[:MOST] if weight is None else places[weight[places].topk(MOST).indices].sort().values
    return places


def _stands_out(sizes: torch.Tensor) -> torch.Tensor:
    """What is greater than around it: beyond its own next neighbours, which it may be seen in."""
    if len(sizes) < 8:
        return torch.ones_like(sizes, dtype=torch.bool)
    below, above = sizes.roll(3), sizes.roll(-3)
    below[:3], above[-3:] = above[:3], below[-3:]
    return sizes > STANDS_OUT * torch.minimum(below, above)


def _moved(values: torch.Tensor, by: int) -> torch.Tensor:
    """The neighbours of values; at an end the one that is there."""
    moved = values.roll(by)
    if len(values) > 1:
        moved[0 if by > 0 else -1] = values[1 if by > 0 else -2]
    return moved


def spacings(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """The distances to the next scanned points."""
    if len(x) < 2:
        return torch.zeros_like(places, dtype=x.dtype)
    others = torch.where(places + 1 < len(x), places + 1, places - 1)
    return (x[others] - x[places]).abs()
