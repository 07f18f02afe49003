"""Critical points of a surface f(x, y): where both slopes are 0 or leap, refined in float64 and classified.

A cell of a scan in which both slopes change their sign may have one. Newton's method on the gradient, its Hessian by
central differences, refines it; the eigenvalues of the Hessian, or where one is near 0 the slopes on a circle around
the point, tell what it is. Where the slopes leap instead, halving the cell leads to the tip of a kink.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gradcli.engine.sweeping.classifying import CriticalPoint, classified, tips
from gradcli.engine.sweeping.refining import brackets, distinct, halved, newton
from gradcli.engine.sweeping.surface import Surface

MOST = 2_048  # cells that are followed up
TOUCHES = 0.5  # of the slopes around: it comes down to 0 there


def critical_points(surface: Surface, xs: torch.Tensor, ys: torch.Tensor) -> Iterator[CriticalPoint]:
    """The critical points on the grid of `xs` (m,) and `ys` (n,), each once."""
    across = len(ys)
    f, g = surface(xs.repeat_interleave(across), ys.repeat(len(xs)))
    noise = 16 * torch.finfo(f.dtype).eps * float(f[f.isfinite()].abs().median()) if bool(f.isfinite().any()) else 0.0
    slopes = g.reshape(len(xs), across, 2)
    corners = torch.stack([slopes[:-1, :-1], slopes[:-1, 1:], slopes[1:, :-1], slopes[1:, 1:]], 2)
    turns, low_places = brackets(corners).nonzero()[:MOST], _lowest(slopes)
    places, further = torch.cat([turns, low_places - 1]), torch.cat([turns + 1, low_places + 1])
    if not len(places):
        return
    low = torch.stack([xs[places[:, 0]], ys[places[:, 1]]], 1)
    size = torch.stack([xs[further[:, 0]], ys[further[:, 1]]], 1) - low
    scale = corners[places[:, 0], places[:, 1]].abs().amax(1)
    point, found = newton(surface, low, size, scale)
    ends = torch.tensor([[float(xs[0]), float(ys[0])], [float(xs[-1]), float(ys[-1])]], dtype=torch.float64)
    smooth = distinct(surface, point[found], size[found], ends)
    leaps, sizes = halved(surface, low[~found], size[~found])
    for one in (*classified(surface, *smooth), *tips(surface, *distinct(surface, leaps, sizes, ends))):
        yield one._replace(value=one.value if abs(one.value) > noise else 0.0)


def _lowest(slopes: torch.Tensor) -> torch.Tensor:
    """Inner nodes of a scan where the gradient is smaller than all around: a slope may touch 0 there."""
    size = slopes.norm(dim=2)
    if min(size.shape) < 3:
        return torch.zeros(0, 2, dtype=torch.long)
    around = torch.nn.functional.unfold(size[None, None], 3).reshape(9, size.shape[0] - 2, size.shape[1] - 2)
    middle = around[4]
    others = torch.cat([around[:4], around[5:]])
    found = (middle < others.amin(0)) & (middle < TOUCHES * others.amax(0)) & others.isfinite().all(0)
    return found.nonzero()[:MOST] + 1
