"""Vector-Jacobian products with every unit vector: one recorded graph, gone back through for many vectors at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from gradcli.engine.batching import batched
from gradcli.engine.confirming import CONFIRMED, agrees, mixed, remember, signature
from gradcli.engine.memory import budget, shown
from gradcli.engine.readable import readable
from gradcli.errors import GradcliError, Span

CHUNK = 1 << 24  # numbers that one intermediate result of a batch may hold


class Widest:
    """Watches an evaluation for its largest tensor: what a batch of products multiplies."""

    def __init__(self) -> None:
        self.elements = 1

    def __call__(self, index: int, value: Any) -> None:
        del index
        for one in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(one, torch.Tensor) and one.numel() > self.elements:
                self.elements = one.numel()

    def batch(self, count: int) -> int:
        """How many of `count` vectors to take at a time."""
        return max(min(count, CHUNK // max(self.elements, count)), 1)


def rows(result: torch.Tensor, inputs: Sequence[torch.Tensor], widest: Widest, unit: complex = 1) -> list[torch.Tensor]:
    """For each input the gradient of every element of `result`: (elements of the result, *input).

    Zeros where none arrives. Where `result` is complex, `unit` says of which part: 1 the real one, 1j the imaginary
    one. What `result` was recorded with is kept. Batches are checked: torch's own rules for some steps are wrong.
    """
    count = result.numel()
    if not result.requires_grad or not count or not inputs:
        return [one.new_zeros((count, *one.shape)).detach() for one in inputs]
    if count == 1:
        return [one.unsqueeze(0) for one in _pull(result, inputs, torch.full_like(result, unit))]
    try:
        found = _batches(result, inputs, widest.batch(count), unit)
        if _confirmed(result, inputs, found, unit):
            return found
    except Exception:
        pass
    found = [one.new_empty((count, *one.shape)).detach() for one in inputs]
    for index in range(count):
        for whole, row in zip(found, _pull(result, inputs, units(result, index, index + 1, unit)[0]), strict=True):
            whole[index] = row
    return found


def _pull(result: torch.Tensor, inputs: Sequence[torch.Tensor], vector: torch.Tensor) -> tuple[torch.Tensor, ...]:
    found = torch.autograd.grad(result, inputs, vector, retain_graph=True, materialize_grads=True)
    return tuple(map(readable, found))


def _batches(result: torch.Tensor, inputs: Sequence[torch.Tensor], size: int, unit: complex) -> list[torch.Tensor]:
    """All rows, `size` of them at a time. Raises what torch raises where it cannot batch a step's backward."""
    count = result.numel()

    def batch(start: int, stop: int) -> list[torch.Tensor]:
        return batched(lambda vector: _pull(result, inputs, vector), units(result, start, stop, unit))

    if size == count:
        return [one.contiguous() for one in batch(0, count)]
    found = [one.new_empty((count, *one.shape)).detach() for one in inputs]
    for start in range(0, count, size):
        stop = min(start + size, count)
        for whole, part in zip(found, batch(start, stop), strict=True):
            whole[start:stop] = part
    return found


def _confirmed(
    result: torch.Tensor, inputs: Sequence[torch.Tensor], found: Sequence[torch.Tensor], unit: complex
) -> bool:
    """Whether a sum of all rows with unequal weights is what one plain backward pass gives for these weights."""
    key = (*signature(result), *(one.shape for one in inputs), unit)
    if key in CONFIRMED:
        return True
    weights = mixed(result.numel())
    direct = _pull(result, inputs, (weights * unit).to(result).reshape(result.shape))
    held = all(agrees(rows, one, weights) for rows, one in zip(found, direct, strict=True))
    if held:
        remember(key)
    return held


def units(like: torch.Tensor, start: int, stop: int, unit: complex = 1) -> torch.Tensor:
    """The unit vectors `start:stop` in the shape of a tensor: (stop - start, *like)."""
    basis = torch.zeros((stop - start, like.numel()), dtype=like.dtype, device=like.device)
    basis.diagonal(start).fill_(unit)
    return basis.reshape(stop - start, *like.shape)


def admit(what: str, numbers: int, itemsize: int, memory: int | None, span: Span) -> None:
    """Raise GradcliError of kind bounds where an answer of so many numbers does not fit into memory."""
    if numbers <= CHUNK:
        return
    allowed = budget(memory)
    if numbers * itemsize > allowed.left():
        raise GradcliError(
            "bounds", f"{what} has {numbers:,} numbers, {shown(numbers * itemsize)}, and {shown(allowed.limit)} may be "
            "taken", span=span, hint="differentiate fewer inputs with --wrt, or a product with one vector: gradcli jvp",
        )  # fmt: skip
