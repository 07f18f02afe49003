"""What a point of a surface is, from its Hessian, or from the slopes on a circle around it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch

from gradcli.engine.sweeping.surface import Surface, gradient_and_hessian

ANGLES = 96  # of a circle around a point
FLAT = 1e-6  # of the greatest eigenvalue: 0
STAYS, GROWS = 0.1, 300.0  # slopes 1000 times as close to a point: they do not go away, they grow as at a pole


class CriticalPoint(NamedTuple):
    """A point of the surface with its kind, value, and for a kink its extremum; `flat`: its Hessian is singular."""

    kind: str
    x: float
    y: float
    value: float
    extremum: str | None = None
    flat: bool = False


def classified(surface: Surface, point: torch.Tensor, size: torch.Tensor) -> Iterator[CriticalPoint]:
    """Stationary points (n, 2), each with its kind; `size` (n, 2): of the cells that they were found in."""
    if not len(point):
        return
    value = surface(*point.unbind(1))[0].tolist()
    hessian = gradient_and_hessian(surface, point, size)[1] * size[:, :, None] * size[:, None, :]
    eigenvalues = torch.linalg.eigvalsh((hessian + hessian.mT) / 2)
    around = _extrema(_circle(surface, point, size * 0.05)[0])
    for (x, y), f, (low, high), kind in zip(point.tolist(), value, eigenvalues.tolist(), around, strict=True):
        flat = min(abs(low), abs(high)) <= FLAT * max(abs(low), abs(high))
        told = kind if flat else "saddle" if low < 0 < high else "minimum" if low > 0 else "maximum"
        yield CriticalPoint(told, x, y, f, flat=flat)


def tips(surface: Surface, point: torch.Tensor, size: torch.Tensor) -> Iterator[CriticalPoint]:
    """Minima and maxima where slopes leap, and poles, of points (n, 2) that halved cells led to."""
    if not len(point):
        return
    value = surface(*point.unbind(1))[0].tolist()
    outward, close = _circle(surface, point, size * 1e-5)
    _, wide = _circle(surface, point, size * 1e-2)
    for (x, y), f, kind, slopes, near, far in zip(
        point.tolist(), value, _extrema(outward), outward, close.amax(1) * 1e5, wide.amax(1) * 1e2, strict=True
    ):
        growth = float(near / far)
        if kind not in {"minimum", "maximum"} or not bool(slopes.isfinite().all()) or growth <= STAYS:
            continue
        if bool((slopes.abs() <= 1e-9 * slopes.abs().max()).any()):  # a point of the rim of something flat
            continue
        if growth > GROWS:
            yield CriticalPoint("pole", x, y, f)
        else:
            yield CriticalPoint("kink", x, y, f, kind)


def _circle(surface: Surface, point: torch.Tensor, radius: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Slopes outward, and sizes of the gradient, on an ellipse around each point: (n, angles)."""
    turn = torch.arange(ANGLES, dtype=torch.float64) * (2 * math.pi / ANGLES) + 0.01
    way = torch.stack([turn.cos(), turn.sin()], 1)
    around = (point[:, None] + radius[:, None] * way).reshape(-1, 2)
    slopes = surface(*around.unbind(1))[1].reshape(len(point), ANGLES, 2)
    outward = (slopes * way * radius[:, None]).sum(2)
    return outward, (slopes * radius[:, None]).norm(dim=2)


def _extrema(outward: torch.Tensor) -> list[str]:
    """What a point is, from the slopes outward around it."""
    found = []
    for one in outward:
        least = 1e-9 * float(one.abs().max())
        up, down = bool((one > least).any()), bool((one < -least).any())
        found.append("saddle" if up and down else "minimum" if up else "maximum" if down else "stationary")
    return found
