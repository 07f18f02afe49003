"""Stationary points of a surface f(x, y): where both slopes are 0, refined in float64 and classified.

A cell of a scan in which both slopes change their sign may have one. Newton's method on the gradient, its Hessian by
central differences, refines it; the eigenvalues of the Hessian, or where one is near 0 the slopes on a circle around
the point, tell what it is. Where the slopes leap instead, halving the cell leads to the tip of a kink.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch

from gradcli.engine.sweeping.field import Field

Surface = Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
"""Values (n,) and gradients (n, 2) at points."""

MOST = 2_048  # cells that are followed up
NEWTON = 60  # steps: a degenerate point is approached by a factor of a half each
DIGITS = (9, 5, 2)  # below the size of a cell: round numbers that may be where a slope is 0
ANGLES = 96  # of a circle around a point
NEAR = 1e-9  # of the slopes at the corners of a cell: 0
TOUCHES = 0.5  # of the slopes around: it comes down to 0 there
FLAT = 1e-6  # of the greatest eigenvalue: 0
STAYS, GROWS = 0.1, 300.0  # slopes 1000 times as close to a point: they do not go away, they grow as at a pole


class Summit(NamedTuple):
    """A point of the surface with its kind, value, and for a kink its extremum; `flat`: its Hessian is singular."""

    kind: str
    x: float
    y: float
    value: float
    extremum: str | None = None
    flat: bool = False


def surface_of(field: Field, names: list[str]) -> Surface:
    """The surface of a field; slopes are 0 by an input that does not reach the output."""

    def surface(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, slopes = [], []
        for start in range(0, len(x), field.chunk):
            point = {name: one[start : start + field.chunk] for name, one in zip(names, (x, y), strict=True)}
            numbers = field.at(point)
            grads = [numbers.grads[name] for name in names]
            zero = torch.zeros_like(numbers.value, dtype=torch.float64)
            values.append(numbers.value.double())
            slopes.append(torch.stack([zero if one is None else one.double() for one in grads], 1))
        return (torch.cat(values), torch.cat(slopes)) if values else (x.clone(), torch.zeros(0, 2, dtype=x.dtype))

    return surface


def summits(surface: Surface, xs: torch.Tensor, ys: torch.Tensor) -> Iterator[Summit]:
    """The stationary points and tips on a scan, each once."""
    across = len(ys)
    f, g = surface(xs.repeat_interleave(across), ys.repeat(len(xs)))
    noise = 16 * torch.finfo(f.dtype).eps * float(f[f.isfinite()].abs().median()) if bool(f.isfinite().any()) else 0.0
    slopes = g.reshape(len(xs), across, 2)
    corners = torch.stack([slopes[:-1, :-1], slopes[:-1, 1:], slopes[1:, :-1], slopes[1:, 1:]], 2)
    turns, low_places = _brackets(corners).nonzero()[:MOST], _lowest(slopes)
    places, further = torch.cat([turns, low_places - 1]), torch.cat([turns + 1, low_places + 1])
    if not len(places):
        return
    low = torch.stack([xs[places[:, 0]], ys[places[:, 1]]], 1)
    size = torch.stack([xs[further[:, 0]], ys[further[:, 1]]], 1) - low
    scale = corners[places[:, 0], places[:, 1]].abs().amax(1)
    point, found = _newton(surface, low, size, scale)
    ends = torch.tensor([[float(xs[0]), float(ys[0])], [float(xs[-1]), float(ys[-1])]], dtype=torch.float64)
    smooth = _distinct(surface, point[found], size[found], ends)
    tips, sizes = _halved(surface, low[~found], size[~found])
    for one in (*_classified(surface, *smooth), *_tips(surface, *_distinct(surface, tips, sizes, ends))):
        yield one._replace(value=one.value if abs(one.value) > noise else 0.0)


def _brackets(corners: torch.Tensor) -> torch.Tensor:
    """Whether both slopes may be 0 at a point within cells: (..., corners, 2). Where they are 0 throughout is none."""
    known = corners.isfinite().all(-1).all(-1) & (corners != 0).any(-1).any(-1)
    return known & ((corners.amin(-2) <= 0) & (corners.amax(-2) >= 0)).all(-1)


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


def _curved(surface: Surface, point: torch.Tensor, size: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """∂f (n, 2), and ∂²f by central differences of it (n, 2, 2), in one evaluation."""
    moves = torch.tensor([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]], dtype=torch.float64) * 1e-4
    around = (point[:, None] + moves * size[:, None]).reshape(-1, 2)
    slopes = surface(*around.unbind(1))[1].reshape(-1, 5, 2)
    columns = (slopes[:, 1::2] - slopes[:, 2::2]) / (2e-4 * size[:, :, None])
    return slopes[:, 0], columns.mT


def _newton(
    surface: Surface, low: torch.Tensor, size: torch.Tensor, scale: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Points refined from the middles of cells, and which of them are stationary points of these cells."""
    point = low + size / 2
    going = torch.arange(len(point))
    for _ in range(NEWTON):
        here, width = point[going], size[going]
        slopes, hessian = _curved(surface, here, width)
        known = hessian.isfinite().all(-1).all(-1) & slopes.isfinite().all(-1)
        weighted = hessian * width[:, :, None] * width[:, None, :]
        weighted[~known] = 0
        step = -(torch.linalg.pinv(weighted, rtol=1e-9) @ (slopes * width).nan_to_num()[..., None])[..., 0] * width
        here = here + step.clamp(-width, width)
        point[going] = here
        moved = (step.abs() > 1e-15 * width + 2e-16 * here.abs()).any(1)
        stays = ((here > low[going] - 8 * width) & (here < low[going] + 9 * width)).all(1)
        going = going[moved & stays]
        if not len(going):
            break
    slopes = surface(*point.unbind(1))[1].abs()
    inside = ((point >= low - size / 2) & (point <= low + 1.5 * size)).all(1)
    return point, inside & (slopes <= NEAR * scale).all(1)


def _distinct(
    surface: Surface, point: torch.Tensor, size: torch.Tensor, ends: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Each point once, of those on the swept area, with round coordinates where these fit as well."""
    kept = 0
    for digits in DIGITS if len(point) else ():
        near = torch.tensor(
            [[_round(a, b, digits) for a, b in zip(one, of, strict=True)]
             for one, of in zip(point.tolist(), size.tolist(), strict=True)], dtype=torch.float64,
        )  # fmt: skip
        exact, rounder = (surface(*one.unbind(1))[1].abs().sum(1) for one in (point, near))
        point = torch.where((rounder <= exact)[:, None] | ((near - point).abs() <= 1e-12 * size), near, point)
    slack = 1e-9 * size
    swept = ((point >= ends[0] - slack) & (point <= ends[1] + slack)).all(1)
    point, size = point[swept], size[swept]
    for one, width in zip(point.clone(), size.clone(), strict=True):
        if bool(((point[:kept] - one).abs() > 1e-6 * width).any(1).all()):
            point[kept], size[kept] = one, width
            kept += 1
    return point[:kept], size[:kept]


def _round(number: float, spacing: float, digits: int) -> float:
    return round(number, digits - math.floor(math.log10(spacing))) + 0.0


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


def _classified(surface: Surface, point: torch.Tensor, size: torch.Tensor) -> Iterator[Summit]:
    if not len(point):
        return
    value = surface(*point.unbind(1))[0].tolist()
    hessian = _curved(surface, point, size)[1] * size[:, :, None] * size[:, None, :]
    curved = torch.linalg.eigvalsh((hessian + hessian.mT) / 2)
    around = _extrema(_circle(surface, point, size * 0.05)[0])
    for (x, y), f, (low, high), kind in zip(point.tolist(), value, curved.tolist(), around, strict=True):
        flat = min(abs(low), abs(high)) <= FLAT * max(abs(low), abs(high))
        told = kind if flat else "saddle" if low < 0 < high else "minimum" if low > 0 else "maximum"
        yield Summit(told, x, y, f, flat=flat)


def _halved(surface: Surface, low: torch.Tensor, size: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The middles of cells that go on having both slopes change their sign, halved again and again; first sizes."""
    first = size
    for _ in range(44):
        if not len(low):
            break
        size = size / 2
        grid = torch.tensor([[a, b] for a in range(3) for b in range(3)], dtype=torch.float64)
        nodes = low[:, None] + grid * size[:, None]
        slopes = surface(*nodes.reshape(-1, 2).unbind(1))[1].reshape(-1, 3, 3, 2)
        parts = torch.stack([slopes[:, a : a + 2, b : b + 2].reshape(-1, 4, 2) for a in range(2) for b in range(2)], 1)
        holds = _brackets(parts)
        chosen = holds.int().argmax(1)
        low = low + torch.stack([chosen // 2, chosen % 2], 1) * size
        kept = holds.any(1)
        low, size, first = low[kept], size[kept], first[kept]
    return low + size / 2, first


def _tips(surface: Surface, point: torch.Tensor, size: torch.Tensor) -> Iterator[Summit]:
    """Minima and maxima where slopes leap."""
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
            yield Summit("pole", x, y, f)
        else:
            yield Summit("kink", x, y, f, kind)
