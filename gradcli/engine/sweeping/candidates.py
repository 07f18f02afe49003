"""Places where a curve may have something: found on a scan of it, narrowed down to adjacent numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from gradcli.engine.sweeping.brackets import Brackets, edges, leaps, limited, spacings, touches, turns
from gradcli.engine.sweeping.crossings import crossings
from gradcli.engine.sweeping.curve import Curve
from gradcli.engine.sweeping.distinct import Candidate, distinct
from gradcli.engine.sweeping.narrowing import AT_ONCE, Ends, narrowed

FLATTER = 0.99  # times the slopes beside a round number: it is where the slope is 0


def candidates(curve: Curve, x: torch.Tensor, f: torch.Tensor, g: torch.Tensor) -> list[Candidate]:
    """All candidates on a scan in ascending order, each place once."""
    scan = Ends(x, f, g)
    touching, asked = touches(curve, scan)
    found = [*_zeros(scan), *_narrowed(curve, [turns(scan), *asked, edges(scan), *leaps(scan)], touching)]
    found += [Candidate(place, "leap", spacing) for place, spacing in crossings(curve, x)]
    return distinct(found, float(x[-1] - x[0]))


def _zeros(scan: Ends) -> Iterator[Candidate]:
    """Scanned points whose slope is 0 while those of their neighbours are not."""
    sign = scan.g.sign()
    beside = torch.cat([sign.new_full((1,), torch.nan), sign, sign.new_full((1,), torch.nan)])
    alone = limited((sign == 0) & (beside[:-2] != 0) & (beside[2:] != 0))
    for x, spacing in zip(scan.x[alone].tolist(), spacings(scan.x, alone).tolist(), strict=True):
        yield Candidate(x, "turn", spacing)


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
    distances = [spacing for one in asked for spacing in one.spacing.tolist()]
    kept = holds.nonzero().flatten()
    if not len(kept):
        return
    pairs = list(zip(low.x[kept].tolist(), high.x[kept].tolist(), strict=True))
    near = [_round(a, distances[place]) for place, (a, _) in zip(kept.tolist(), pairs, strict=True)]
    slopes = curve(low.x.new_tensor(near))[1].abs().tolist()
    beside = zip(low.g[kept].abs().tolist(), high.g[kept].abs().tolist(), strict=True)
    for place, (a, b), rounder, slope, (left, right) in zip(kept.tolist(), pairs, near, slopes, beside, strict=True):
        kind, spacing = kinds[place], distances[place]
        tight = 2 * math.ulp(max(abs(a), abs(b)))
        flatter = kind in {"turn", "touch"} and (slope < FLATTER * min(left, right) or slope == 0)
        if min(abs(rounder - a), abs(rounder - b)) <= max(tight, 1e-16 * spacing) or flatter:
            yield Candidate(rounder, kind, spacing)
        else:
            yield Candidate(a if left <= right or kind != "turn" else b, kind, spacing)


def _joined(ends: list[Ends]) -> Ends:
    """The ends of several brackets in a row."""
    if not ends:
        return Ends(*(torch.zeros(0, dtype=torch.float64) for _ in Ends._fields))
    return Ends(*(torch.cat(parts) for parts in zip(*ends, strict=True)))


def _round(number: float, spacing: float) -> float:
    """A number to so many digits that it moves by much less than the distance of scanned points."""
    return round(number, 10 - math.floor(math.log10(spacing))) + 0.0
