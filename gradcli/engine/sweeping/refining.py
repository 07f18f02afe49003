"""Cells of a scan narrowed down to points: where both slopes are 0 by Newton's method, where they leap by halving."""

from __future__ import annotations

import math

import torch

from gradcli.engine.sweeping.surface import Surface, gradient_and_hessian

NEWTON = 60  # steps: a degenerate point is approached by a factor of a half each
HALVINGS = 44  # of a cell: down to the digits of float64
NEAR = 1e-9  # of the slopes at the corners of a cell: 0
DIGITS = (9, 5, 2)  # below the size of a cell: round numbers that may be where a slope is 0


def brackets(corners: torch.Tensor) -> torch.Tensor:
    """Whether both slopes may be 0 at a point within cells: (..., corners, 2). Where they are 0 throughout is none."""
    known = corners.isfinite().all(-1).all(-1) & (corners != 0).any(-1).any(-1)
    return known & ((corners.amin(-2) <= 0) & (corners.amax(-2) >= 0)).all(-1)


def newton(
    surface: Surface, low: torch.Tensor, size: torch.Tensor, scale: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Points refined from the middles of cells, and which of them are stationary points of these cells."""
    point = low + size / 2
    going = torch.arange(len(point))
    for _ in range(NEWTON):
        here, width = point[going], size[going]
        slopes, hessian = gradient_and_hessian(surface, here, width)
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


def halved(surface: Surface, low: torch.Tensor, size: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The middles of cells that go on having both slopes change their sign, halved again and again; first sizes."""
    first = size
    for _ in range(HALVINGS):
        if not len(low):
            break
        size = size / 2
        grid = torch.tensor([[a, b] for a in range(3) for b in range(3)], dtype=torch.float64)
        nodes = low[:, None] + grid * size[:, None]
        slopes = surface(*nodes.reshape(-1, 2).unbind(1))[1].reshape(-1, 3, 3, 2)
        parts = torch.stack([slopes[:, a : a + 2, b : b + 2].reshape(-1, 4, 2) for a in range(2) for b in range(2)], 1)
        holds = brackets(parts)
        chosen = holds.int().argmax(1)
        low = low + torch.stack([chosen // 2, chosen % 2], 1) * size
        kept = holds.any(1)
        low, size, first = low[kept], size[kept], first[kept]
    return low + size / 2, first


def distinct(
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
