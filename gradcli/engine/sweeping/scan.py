"""Where to look at a curve: the swept points, and points between them where they are few."""

from __future__ import annotations

import math

import torch

from gradcli.engine.sweeping.floats import ascending

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
    strange = []
    for one in (values, grads):
        if one is not None:
            bend = (one[2:] - 2 * one[1:-1] + one[:-2]).abs_()
            strange.append(_standing_out(bend) + 1)
    if grads is not None:
        sign = grads >= 0
        strange.append((sign[:-1] != sign[1:]).nonzero().flatten()[:STRANGE])
    near = torch.cat(strange)
    beside = torch.cat([near - 1, near, near + 1]).clamp(0, count - 1)
    return ascending(torch.cat([even, even.new_tensor([count - 1]), beside]))


def _standing_out(sizes: torch.Tensor) -> torch.Tensor:
    """The places of the greatest numbers, and of what is no number: the greatest of each of many blocks."""
    across = math.ceil(len(sizes) / STRANGE)
    whole = sizes[: len(sizes) // across * across].reshape(-1, across)
    greatest, place = whole.max(1)  # NaN counts as the greatest
    typical = greatest.nan_to_num(nan=torch.inf).median()
    chosen = ~(greatest <= 8 * typical)
    return (place + torch.arange(len(whole)) * across)[chosen]
