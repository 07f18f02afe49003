"""A surface f(x, y) of two swept numbers: its values, gradients and Hessians at points."""

from __future__ import annotations

from collections.abc import Callable

import torch

from gradcli.engine.sweeping.field import Field

Surface = Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
"""Values (n,) and gradients (n, 2) at points."""


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


def gradient_and_hessian(
    surface: Surface, point: torch.Tensor, size: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """∂f (n, 2), and ∂²f by central differences of it (n, 2, 2), in one evaluation.

    `point`, `size` (n, 2): where, and the lengths of which a ten-thousandth is the step.
    """
    moves = torch.tensor([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]], dtype=torch.float64) * 1e-4
    around = (point[:, None] + moves * size[:, None]).reshape(-1, 2)
    slopes = surface(*around.unbind(1))[1].reshape(-1, 5, 2)
    columns = (slopes[:, 1::2] - slopes[:, 2::2]) / (2e-4 * size[:, :, None])
    return slopes[:, 0], columns.mT
