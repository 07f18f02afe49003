"""Norms of gradients: one each, and one small copy a device."""

from __future__ import annotations

from collections.abc import Sequence

import torch

LEAST, MOST = 1e-15, 1e15  # norms outside of these are squares that float32 is not to be trusted with
PART = 16_384  # elements of a gradient that is small
READY = frozenset({torch.float32, torch.float64})  # norms can be taken in these

_PLAIN = (torch.Tensor, torch.nn.Parameter)


def plain(tensor: torch.Tensor) -> bool:
    """Whether this is an ordinary tensor whose numbers can be read: no subclass, no fake, no meta tensor."""
    return type(tensor) in _PLAIN and not tensor.is_meta


def dense(gradient: torch.Tensor) -> torch.Tensor | None:
    """The stored numbers of a gradient: of a sparse one its summed values; None where they cannot be read."""
    if not plain(gradient):
        return None
    if gradient.layout is torch.strided:
        return gradient.detach() if gradient.requires_grad else gradient
    if gradient.layout is torch.sparse_coo:
        return gradient.detach().coalesce().values()
    return None


def norms(gradients: Sequence[torch.Tensor]) -> list[float]:
    """The L2 norm of each; NaN or Inf only where the gradient holds such a number."""
    return trusted(gradients, _whole(gradients))


def trusted(gradients: Sequence[torch.Tensor], found: list[float]) -> list[float]:
    """Norms, taken again where squares were too small or too large for their dtype, or where one is NaN."""
    if all(LEAST < norm < MOST for norm in found):
        return found
    return [norm if LEAST < norm < MOST else _exact(one) for norm, one in zip(found, gradients, strict=True)]


def _whole(gradients: Sequence[torch.Tensor]) -> list[float]:
    """The norms, in float32 at least: a large one by its product with itself, the others in one call."""
    sizes = [one.numel() for one in gradients]
    if max(sizes, default=0) <= PART:
        return read(every_norm(_wide(gradients)))
    large = {i: one.view(-1) for i, one in enumerate(gradients) if sizes[i] > PART and _flat(one)}
    squares = iter(read([torch.dot(one, one) for one in large.values()]))
    others = iter(read(every_norm(_wide([one for index, one in enumerate(gradients) if index not in large]))))
    return [max(next(squares), 0.0) ** 0.5 if index in large else next(others) for index in range(len(gradients))]


def _flat(gradient: torch.Tensor) -> bool:
    return gradient.dtype is torch.float32 and gradient.device.type == "cpu" and gradient.is_contiguous()


def _wide(gradients: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The numbers of gradients in a dtype that norms can be taken in."""
    if {one.dtype for one in gradients} <= READY:
        return list(gradients)
    return [widened(one) for one in gradients]


def widened(gradient: torch.Tensor) -> torch.Tensor:
    """The numbers of a gradient in a dtype that its norm can be taken in."""
    if gradient.is_complex():
        return torch.view_as_real(gradient.resolve_conj())
    return gradient if gradient.dtype in READY else gradient.float()


def every_norm(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The norm of each tensor."""
    if not tensors:
        return []
    together = getattr(torch, "_foreach_norm", None)
    if together is not None and all(one.numel() for one in tensors):
        return list(together(list(tensors)))
    return [torch.linalg.vector_norm(one) for one in tensors]


def _exact(gradient: torch.Tensor) -> float:
    """The norm in float64, where a square in float32 is 0 or infinite though the numbers are not."""
    if gradient.is_complex():
        gradient = torch.view_as_real(gradient.resolve_conj())
    return float(torch.linalg.vector_norm(gradient, dtype=torch.float64)) if gradient.numel() else 0.0


def read(scalars: Sequence[torch.Tensor]) -> list[float]:
    """The numbers of tensors without dimensions: one copy for each device and dtype."""
    if len({one.dtype for one in scalars}) == 1 and len({one.device for one in scalars}) == 1:
        return torch.stack(list(scalars)).tolist()
    kinds: dict[tuple[torch.device, torch.dtype], list[int]] = {}
    for index, one in enumerate(scalars):
        kinds.setdefault((one.device, one.dtype), []).append(index)
    found = [0.0] * len(scalars)
    for places in kinds.values():
        for index, number in zip(places, torch.stack([scalars[i] for i in places]).tolist(), strict=True):
            found[index] = number
    return found


def finite(tensor: torch.Tensor) -> bool:
    """Whether every number of a tensor is finite."""
    return bool(torch.isfinite(tensor).all())
