"""Numbers of gradients: one norm each, and on detailed steps means, zeros and units; one small copy a device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch

from gradcli.training.watching.records import HALF_LIKE

TINY = 1e-30  # below and above, a square in float32 is not to be trusted
HUGE = 1e30
PART = 16_384  # elements that the share of zeros is counted in


class Detail(NamedTuple):
    """Of one gradient: its norm, the mean of |g|, the share of elements that are not 0, which units are not all 0."""

    norm: float
    mean: float
    filled: float
    living: torch.Tensor


def plain(tensor: torch.Tensor) -> bool:
    """Whether this is an ordinary tensor whose numbers can be read: no subclass, no fake, no meta tensor."""
    return type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.device.type != "meta"


def dense(gradient: torch.Tensor) -> torch.Tensor | None:
    """The stored numbers of a gradient: of a sparse one its summed values; None where they cannot be read."""
    if not plain(gradient):
        return None
    if gradient.layout is torch.strided:
        return gradient.detach()
    if gradient.layout is torch.sparse_coo:
        return gradient.detach().coalesce().values()
    return None


def norms(gradients: Sequence[torch.Tensor]) -> list[float]:
    """The L2 norm of each; NaN or Inf only where the gradient holds such a number."""
    squares = [_square(one) for one in gradients]
    found = [math.sqrt(one) if one >= 0 else math.nan for one in read(squares)]
    for index, norm in enumerate(found):
        if not TINY**0.5 < norm < HUGE**0.5:  # also NaN
            found[index] = _exact(gradients[index])
    return found


def _square(gradient: torch.Tensor) -> torch.Tensor:
    """The square of the norm; the product of a flat tensor with itself is the fastest way to it."""
    if gradient.dtype is torch.float32 and gradient.is_contiguous() and gradient.device.type == "cpu":
        flat = gradient.view(-1)
        return torch.dot(flat, flat)
    wide = torch.float32 if gradient.dtype in HALF_LIKE else None
    if gradient.is_complex():
        gradient = torch.view_as_real(gradient.resolve_conj())
    elif not gradient.is_floating_point():
        wide = torch.float32
    norm: torch.Tensor = torch.linalg.vector_norm(gradient, dtype=wide)
    return norm.square()


def _exact(gradient: torch.Tensor) -> float:
    """The norm in float64, where a square in float32 is 0 or infinite though the numbers are not."""
    if gradient.is_complex():
        gradient = torch.view_as_real(gradient.resolve_conj())
    return float(torch.linalg.vector_norm(gradient, dtype=torch.float64)) if gradient.numel() else 0.0


def read(scalars: Sequence[torch.Tensor]) -> list[float]:
    """The numbers of tensors without dimensions: one copy for each device and dtype."""
    kinds: dict[tuple[torch.device, torch.dtype], list[int]] = {}
    for index, one in enumerate(scalars):
        kinds.setdefault((one.device, one.dtype), []).append(index)
    found = [0.0] * len(scalars)
    for places in kinds.values():
        for index, number in zip(places, torch.stack([scalars[i] for i in places]).tolist(), strict=True):
            found[index] = number
    return found


def details(gradients: Sequence[torch.Tensor], sizes: Sequence[int]) -> list[Detail]:
    """Norm, mean of |g| and the number of elements that are not 0; `sizes` are those of the parameters."""
    rows = [_rows(one) for one in gradients]
    sums = [one.sum() for one in rows]
    parts = [_part(one) for one in gradients]
    filled = [torch.count_nonzero(one) for one in parts]
    totals, counts = read(sums), read(filled)
    found = []
    for index, norm in enumerate(norms(gradients)):
        stored, part = gradients[index].numel(), parts[index].numel()
        share = counts[index] / part * stored / max(sizes[index], 1) if part else 0.0
        found.append(Detail(norm, totals[index] / max(sizes[index], 1), share, rows[index] > 0))
    return found


def _rows(gradient: torch.Tensor) -> torch.Tensor:
    """The sum of |g| over each unit (row) of a gradient; it is 0 only where all of the row is."""
    wide = torch.float32 if gradient.dtype in HALF_LIKE or not gradient.is_floating_point() else None
    flat = gradient.flatten(1) if gradient.dim() >= 2 and gradient.numel() else gradient.reshape(1, -1)
    found: torch.Tensor = torch.linalg.vector_norm(flat, 1, dim=1, dtype=wide)
    return found


def _part(gradient: torch.Tensor) -> torch.Tensor:
    """Some rows from all over a large gradient: enough to tell the share of zeros."""
    if gradient.numel() <= PART or gradient.dim() < 2:
        return gradient
    return gradient[:: max(1, gradient.numel() // PART)]


def finite(tensor: torch.Tensor) -> bool:
    """Whether every number of a tensor is finite."""
    return bool(torch.isfinite(tensor).all())
