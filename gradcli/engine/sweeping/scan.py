"""Where to look at a curve: the swept points, and points between them where they are few."""

from __future__ import annotations

import math

import torch

from gradcli.engine.sweeping.floats import ascending

FEW = 4096  # intervals that are looked at at least
FEW_ALONE = 512  # where every point takes an evaluation of its own
MANY = 32_768  # points that are looked at at most, beside those that stand out
STRANGE = 2_048  # points that stand out


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
    chosen = [even, torch.tensor([count - 1])]
    for one in (values, grads):
        if one is not None:
            turn = one.diff()
            bend = turn.diff().abs().nan_to_num_(nan=torch.inf)
            chosen.append(bend.topk(min(STRANGE, len(bend))).indices)
    if grads is not None:
        sign = grads >= 0
        turned = (sign[:-1] != sign[1:]).nonzero().flatten()[:STRANGE]
        chosen.append(turned)
    near = torch.cat(chosen)
    return ascending(torch.cat([near - 1, near, near + 1, near + 2]).clamp(0, count - 1))
