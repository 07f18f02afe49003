"""Vector-Jacobian products with every unit vector: one recorded graph, gone back through for many vectors at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from gradcli.engine.batching import batched
from gradcli.engine.memory import budget, shown
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
    one. What `result` was recorded with is kept.
    """
    count = result.numel()
    if not result.requires_grad or not count or not inputs:
        return [one.new_zeros((count, *one.shape)).detach() for one in inputs]
    if count == 1:
        return [one.unsqueeze(0) for one in _pull(result, inputs, torch.full_like(result, unit))]
    size = widest.batch(count)
    if size == count:
        return _batch(result, inputs, 0, count, unit)
    found = [one.new_empty((count, *one.shape)).detach() for one in inputs]
    for start in range(0, count, size):
        stop = min(start + size, count)
        for whole, part in zip(found, _batch(result, inputs, start, stop, unit), strict=True):
            whole[start:stop] = part
    return found


def _pull(result: torch.Tensor, inputs: Sequence[torch.Tensor], vector: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return torch.autograd.grad(result, inputs, vector, retain_graph=True, materialize_grads=True)


def _batch(
    result: torch.Tensor, inputs: Sequence[torch.Tensor], start: int, stop: int, unit: complex
) -> list[torch.Tensor]:
    """The rows `start:stop`, all at once; one after another where torch cannot batch a step's backward."""
    vectors = units(result, start, stop, unit)
    try:
        found = batched(lambda vector: _pull(result, inputs, vector), vectors)
    except Exception:
        each = [_pull(result, inputs, vector) for vector in vectors]
        found = list(map(torch.stack, zip(*each, strict=True)))
    return [one.contiguous() for one in found]


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
