"""Where to look at a curve: the swept points, and points between them where they are few."""

from __future__ import annotations

import math

import torch

from gradcli.engine.sweeping.floats import ascending
from gradcli.engine.sweeping.points import PART

FEW = 2048  # intervals that are looked at at least
FEW_ALONE = 512  # where every point takes an evaluation of its own
MANY = 8_192  # points that are looked at at most, beside those that stand out
STRANGE = 1_024  # blocks of points of which those are looked at that stand out


def scanned(values: torch.Tensor, grads: torch.Tensor | None, points: torch.Tensor, alone: bool) -> torch.Tensor:
    """The points to look at, in float64 and ascending order; `values` and `grads` are those at the ascending points."""
    count = len(points)
    if count < 2:
        return points.double()
    if count > MANY:
        return ascending(points[_chosen(values, grads, count)].double())
    x = ascending(points.double())
    few = FEW_ALONE if alone else FEW
    pieces = math.ceil(few / max(len(x) - 1, 1))
    if pieces == 1:
        return x
    share = torch.arange(pieces, dtype=torch.float64) / pieces
    inner = (x[:-1, None] + (x[1:] - x[:-1])[:, None] * share).reshape(-1)
    return ascending(torch.cat([inner, x[-1:]]))


def _chosen(values: torch.Tensor, grads: torch.Tensor | None, count: int) -> torch.Tensor:
    """Every so many points, and both neighbours of those where values or slopes stand out."""
    even = torch.arange(0, count, math.ceil(count / MANY))
    strange = [_standing_out(one) + 1 for one in (values, grads) if one is not None]
    if grads is not None:
        positive = grads >= 0
        strange.append((positive[:-1] != positive[1:]).nonzero().flatten()[:STRANGE])
    near = torch.cat(strange)
    beside = torch.cat([near - 1, near, near + 1]).clamp(0, count - 1)
    return ascending(torch.cat([even, even.new_tensor([count - 1]), beside]))


def _standing_out(numbers: torch.Tensor) -> torch.Tensor:
    """Where numbers bend most, of each of many blocks of them that do so more than most, and where they are none."""
    across = math.ceil((len(numbers) - 2) / STRANGE)
    blocks = (len(numbers) - 2) // across
    greatest, place = [], []
    step = max(PART // across, 1)  # blocks whose numbers stay in the cache
    for first in range(0, blocks, step):
        last = min(first + step, blocks)
        bend = numbers[first * across : last * across + 2].diff().diff().abs_().reshape(-1, across)
        most, at = bend.max(1)  # NaN counts as the greatest
        greatest.append(most)
        place.append(at + torch.arange(first, last) * across)
    sizes = torch.cat(greatest)
    typical = sizes.nan_to_num(nan=torch.inf).median()
    return torch.cat(place)[~(sizes <= 8 * typical)]
