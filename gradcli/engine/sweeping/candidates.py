"""Places where a curve may have something: found on a scan of it, narrowed down to adjacent numbers.

`turn`: the slope changes its sign or is 0; `touch`: it comes close to 0 and goes back; `leap`: slope or value change
more than their neighbourhood tells; `edge`: the value begins or ends to be finite.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import torch

from gradcli.engine.sweeping.crossings import crossings
from gradcli.engine.sweeping.curve import Curve
from gradcli.engine.sweeping.distinct import Candidate, distinct
from gradcli.engine.sweeping.narrowing import (
    AT_ONCE,
    EDGE,
    LEAP,
    RULES,
    STEEPER,
    TURN,
    Ends,
    Rule,
    leap,
    narrowed,
)

MOST = 4096  # brackets of one kind that are followed up
SHARE = 0.25  # of a change that the neighbourhood does not tell
TOUCHES = 1e-9  # of the slopes beside it: a slope that touches 0
ROUGH = 1e-11  # of a slope or a value: what its rounding may come to
FAINT = 32 * 2.0**-52  # of a value: what its rounding hides
DEEP = 0.6  # of the slope beside it: a slope that touches 0 has come down to less
STANDS_OUT = 3.0  # times what is to be seen three points further on
FLATTER = 0.99  # times the slopes beside a round number: it is where the slope is 0


class Brackets(NamedTuple):
    """Brackets between scanned points, of one kind."""

    kind: str
    rule: int
    low: Ends
    high: Ends
    spacing: torch.Tensor


def candidates(curve: Curve, x: torch.Tensor, f: torch.Tensor, g: torch.Tensor) -> list[Candidate]:
    """All candidates on a scan in ascending order, each place once."""
    scan = Ends(x, f, g)
    touching, asked = _touches(curve, scan)
    found = [*_zeros(scan), *_narrowed(curve, [*_turns(scan), *asked, *_edges(scan), *_leaps(scan)], touching)]
    found += [Candidate(place, "leap", spacing) for place, spacing in crossings(curve, x)]
    return distinct(found, float(x[-1] - x[0]))


def _brackets(scan: Ends, kind: str, rule: Rule, places: torch.Tensor) -> Brackets:
    """The brackets that begin at some places of a scan."""
    return Brackets(kind, RULES.index(rule), scan.at(places), scan.at(places + 1), _spacings(scan.x, places))


def _limited(mask: torch.Tensor, weight: torch.Tensor | None = None) -> torch.Tensor:
    """The places where a mask is true: the first ones, or those of the greatest weight."""
    places = mask.nonzero().flatten()
    if len(places) > MOST:
        places = places[:MOST] if weight is None else places[weight[places].topk(MOST).indices].sort().values
    return places


def _turns(scan: Ends) -> Iterator[Brackets]:
    sign = scan.g.sign()
    yield _brackets(scan, "turn", TURN, _limited(sign[:-1] * sign[1:] < 0))


def _zeros(scan: Ends) -> Iterator[Candidate]:
    """Scanned points whose slope is 0 while those of their neighbours are not."""
    sign = scan.g.sign()
    beside = torch.cat([sign.new_full((1,), torch.nan), sign, sign.new_full((1,), torch.nan)])
    alone = _limited((sign == 0) & (beside[:-2] != 0) & (beside[2:] != 0))
    for x, spacing in zip(scan.x[alone].tolist(), _spacings(scan.x, alone).tolist(), strict=True):
        yield Candidate(x, "turn", spacing)


def _edges(scan: Ends) -> Iterator[Brackets]:
    finite = scan.f.isfinite()
    yield _brackets(scan, "edge", EDGE, _limited(finite[:-1] != finite[1:]))


def _touches(curve: Curve, scan: Ends) -> tuple[Brackets | None, list[Brackets]]:
    """Where the slope comes to 0 and goes back: places, and brackets where it crosses 0 between scanned points."""
    size, sign = scan.g.abs(), scan.g.sign()
    same = (sign[:-2] == sign[1:-1]) & (sign[1:-1] == sign[2:]) & (sign[1:-1] != 0)
    lowest = (size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:])
    deep = size[1:-1] <= DEEP * torch.maximum(size[:-2], size[2:])
    places = _limited(same & lowest & deep & size[:-2].isfinite())
    if not len(places):
        return None, []
    low, high, spacing = scan.at(places), scan.at(places + 2), _spacings(scan.x, places)
    least = _flattest(curve, low, high)
    across = (least.g.sign() != low.g.sign()) & (least.g != 0)
    turn = RULES.index(TURN)
    asked = [
        Brackets("turn", turn, one.at(across), other.at(across), spacing[across])
        for one, other in ((low, least), (least, high))
    ]
    near = (least.g.abs() <= TOUCHES * torch.maximum(low.g.abs(), high.g.abs())) & ~across
    return Brackets("touch", turn, least.at(near), least.at(near), spacing[near]), asked


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


def _leaps(scan: Ends) -> Iterator[Brackets]:
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
    places = _limited(known & (change > SHARE * slope.abs()) & seen & _stands_out(change), change)
    yield _brackets(scan, "leap", STEEPER, places)
    untold = torch.where(known, leap(low, high), torch.nan).nan_to_num(nan=0.0)
    seen = (untold > SHARE * (high.f - low.f).abs()) & (untold > ROUGH * size)
    yield _brackets(scan, "leap", LEAP, _limited(known & seen & _stands_out(untold), untold))


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


def _narrowed(curve: Curve, asked: list[Brackets], touching: Brackets | None) -> Iterator[Candidate]:
    """A candidate for each bracket that holds what it is about: of its ends and the round number at them the best."""
    asked = [one for one in asked if len(one.spacing)]
    low, high = _joined([one.low for one in asked]), _joined([one.high for one in asked])
    rules = torch.cat([torch.full_like(one.spacing, one.rule, dtype=torch.long) for one in asked] or [torch.zeros(0)])
    low, high, holds = narrowed(curve, low, high, rules.long(), 1 if curve.alone else AT_ONCE)
    asked = asked if touching is None else [*asked, touching]
    if touching is not None:
        low, high = _joined([low, touching.low]), _joined([high, touching.high])
        holds = torch.cat([holds, torch.ones_like(touching.spacing, dtype=torch.bool)])
    kinds = [one.kind for one in asked for _ in range(len(one.spacing))]
    spacings = [spacing for one in asked for spacing in one.spacing.tolist()]
    kept = holds.nonzero().flatten()
    if not len(kept):
        return
    pairs = list(zip(low.x[kept].tolist(), high.x[kept].tolist(), strict=True))
    near = [_round(a, spacings[place]) for place, (a, _) in zip(kept.tolist(), pairs, strict=True)]
    slopes = curve(low.x.new_tensor(near))[1].abs().tolist()
    beside = zip(low.g[kept].abs().tolist(), high.g[kept].abs().tolist(), strict=True)
    for place, (a, b), rounder, slope, (left, right) in zip(kept.tolist(), pairs, near, slopes, beside, strict=True):
        kind, spacing = kinds[place], spacings[place]
        tight = 2 * math.ulp(max(abs(a), abs(b)))
        flatter = kind in {"turn", "touch"} and (slope < FLATTER * min(left, right) or slope == 0)
        if min(abs(rounder - a), abs(rounder - b)) <= max(tight, 1e-16 * spacing) or flatter:
            yield Candidate(rounder, kind, spacing)
        else:
            yield Candidate(a if left <= right or kind != "turn" else b, kind, spacing)


def _joined(ends: list[Ends]) -> Ends:
    if not ends:
        return Ends(*(torch.zeros(0, dtype=torch.float64) for _ in Ends._fields))
    return Ends(*(torch.cat(parts) for parts in zip(*ends, strict=True)))


def _round(number: float, spacing: float) -> float:
    """A number to so many digits that it moves by much less than the distance of scanned points."""
    return round(number, 10 - math.floor(math.log10(spacing))) + 0.0


def _spacings(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """The distances to the next scanned points."""
    if len(x) < 2:
        return torch.zeros_like(places, dtype=x.dtype)
    others = torch.where(places + 1 < len(x), places + 1, places - 1)
    return (x[others] - x[places]).abs()
