"""What is checked: a function from leaves in float64 to output tensors, whether text or the user's own code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

Leaves = dict[str, torch.Tensor]
Tensors = list[torch.Tensor]


@dataclass(frozen=True, slots=True)
class Subject:
    """`evaluate(leaves)` gives the outputs; `point` holds the inputs by name, of which `by` are differentiated.

    `batches`: whether it may be evaluated at many points at once. `forwards`: whether it heeds tangents.
    """

    evaluate: Callable[[Leaves], tuple[torch.Tensor, ...]]
    point: Leaves
    by: tuple[str, ...]
    batches: bool = True
    forwards: bool = True

    def outputs(self, point: Leaves) -> Tensors:
        """The floating outputs at a point, without a graph."""
        with torch.no_grad():
            return [one.detach() for one in self.evaluate(point) if one.is_floating_point()]


def even(outputs: Tensors) -> Tensors:
    """The weights of the plain sum of the outputs; 0 for those that do not require grad beside others that do."""
    counts = _counting(outputs)
    return [
        torch.full(one.shape, float(counted), dtype=torch.float64) for one, counted in zip(outputs, counts, strict=True)
    ]


def uneven(outputs: Tensors) -> Tensors:
    """Unequal weights between 1 and 1.37: what cancels in the plain sum shows in theirs."""
    found = []
    for index, (one, counted) in enumerate(zip(outputs, _counting(outputs), strict=True)):
        count = torch.arange(7 * index, 7 * index + one.numel(), dtype=torch.float64)
        found.append(counted * (1 + 0.37 * torch.remainder(count * 0.618 + 0.21, 1).reshape(one.shape)))
    return found


def _counting(outputs: Tensors) -> list[bool]:
    """What torch differentiates: an operation may return further numbers that it does not."""
    recorded = [one.requires_grad for one in outputs]
    return recorded if any(recorded) else [True] * len(outputs)


def numbers(tensor: torch.Tensor) -> list[float]:
    """The elements of a real tensor in row-major order, also of one that torch holds as zeros without memory."""
    found: list[float] = (tensor.detach().double() + 0).reshape(-1).tolist()
    return found
