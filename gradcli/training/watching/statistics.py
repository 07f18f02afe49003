"""Numbers of gradients: one norm each, and on detailed steps means, zeros and units; one small copy a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from gradcli.training.watching.records import HALF_LIKE

TINY = 1e-30  # below and above, a square in float32 is not to be trusted
HUGE = 1e30
PART = 16_384  # elements that the share of zeros is counted in


class Detail(NamedTuple):
    """Of one gradient: its norm, the mean of |g|, the share of elements that are not 0."""

    norm: float
    mean: float
    filled: float
    whole: bool  # none of its elements is 0


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
    found = _whole(gradients)
    for index, norm in enumerate(found):
        if not TINY**0.5 < norm < HUGE**0.5:  # also NaN
            found[index] = _exact(gradients[index])
    return found


def _whole(gradients: Sequence[torch.Tensor]) -> list[float]:
    """The norms, in float32 at least: a large one by its product with itself, the others in one call."""
    large = [one for one in gradients if _large(one)]
    if not large:
        return read(every_norm([_wide(one) for one in gradients]))
    squares = iter(read([torch.dot(one.view(-1), one.view(-1)) for one in large]))
    others = iter(read(every_norm([_wide(one) for one in gradients if not _large(one)])))
    return [max(next(squares), 0.0) ** 0.5 if _large(one) else next(others) for one in gradients]


def _large(gradient: torch.Tensor) -> bool:
    return (
        gradient.numel() > PART and gradient.dtype is torch.float32 and gradient.device.type == "cpu"
        and gradient.is_contiguous()
    )  # fmt: skip


def _wide(gradient: torch.Tensor) -> torch.Tensor:
    """The numbers of a gradient in a dtype that their norm can be taken in."""
    if gradient.is_complex():
        return torch.view_as_real(gradient.resolve_conj())
    return gradient.float() if gradient.dtype in HALF_LIKE or not gradient.is_floating_point() else gradient


def every_norm(tensors: Sequence[torch.Tensor], order: float = 2) -> list[torch.Tensor]:
    """The norm of each tensor; of order 1 the sum of absolute values, of order 0 the count of what is not 0."""
    if not tensors:
        return []
    together = getattr(torch, "_foreach_norm", None)
    if together is not None and all(one.numel() for one in tensors):
        return list(together(list(tensors), order))
    return [torch.linalg.vector_norm(one, order) for one in tensors]


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
    """Norm, mean of |g| and the share of elements that are not 0; `sizes` are those of the parameters."""
    wide = [_wide(one) for one in gradients]
    parts = [_part(one) for one in wide]
    numbers = read([*every_norm(wide, 1), *every_norm(parts, 0)])
    found = []
    for index, norm in enumerate(norms(gradients)):
        stored, part, size = gradients[index].numel(), parts[index].numel(), max(sizes[index], 1)
        share = numbers[len(wide) + index] / part * stored / size if part else 0.0
        whole = part == stored == numbers[len(wide) + index]
        found.append(Detail(norm, numbers[index] / size, min(share, 1.0), whole))
    return found


def living(gradients: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Of each unit (row) of each weight's gradient, whether any element of it is not 0."""
    found: list[torch.Tensor] = [torch.empty(0)] * len(gradients)
    alike: dict[tuple[Any, ...], list[int]] = {}
    for index, one in enumerate(gradients):
        alone = index if one.numel() > PART else None
        alike.setdefault((one.shape, one.dtype, one.device, alone), []).append(index)
    for places in alike.values():
        together = torch.stack([gradients[place] for place in places]) if places[1:] else gradients[places[0]][None]
        rows = torch.linalg.vector_norm(_wide(together).flatten(2), 1, dim=2) > 0
        for place, alive in zip(places, rows.unbind(), strict=True):
            found[place] = alive.clone()
    return found


def _part(gradient: torch.Tensor) -> torch.Tensor:
    """Some rows from all over a large gradient: enough to tell the share of zeros."""
    if gradient.numel() <= PART or gradient.dim() < 2:
        return gradient
    return gradient[:: max(1, gradient.numel() // PART)]


def finite(tensor: torch.Tensor) -> bool:
    """Whether every number of a tensor is finite."""
    return bool(torch.isfinite(tensor).all())
