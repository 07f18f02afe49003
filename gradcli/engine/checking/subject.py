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
    """The weights of the plain sum of the outputs."""
    return [torch.ones_like(one, dtype=torch.float64) for one in outputs]


def uneven(outputs: Tensors) -> Tensors:
    """Unequal weights between 1 and 1.37: what cancels in the plain sum shows in theirs."""

    def weights(like: torch.Tensor, start: int) -> torch.Tensor:
        count = torch.arange(start, start + like.numel(), dtype=torch.float64)
        return 1 + 0.37 * torch.remainder(count * 0.618 + 0.21, 1).reshape(like.shape)

    return [weights(one, 7 * index) for index, one in enumerate(outputs)]


def numbers(tensor: torch.Tensor) -> list[float]:
    """The elements of a real tensor in row-major order, also of one that torch holds as zeros without memory."""
    found: list[float] = (tensor.detach().double() + 0).reshape(-1).tolist()
    return found
