"""A large tensor in one line: shape, range, mean and deviation, and how many elements are not ordinary numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics of the finite elements (population standard deviation), and counts of the others and of zeros."""

    shape: tuple[int, ...]
    least: float | None
    most: float | None
    mean: float | None
    deviation: float | None
    nan: int
    infinite: int
    zero: int


def summarise(tensor: torch.Tensor) -> Summary:
    """The summary of a real tensor; for a complex one, of its absolute values."""
    values = tensor.detach()
    if values.is_complex():
        values = values.abs()
    if not values.is_floating_point() or values.itemsize == 1:
        values = values.double() if values.itemsize == 8 else values.float()
    zero = values.numel() - int(values.count_nonzero())
    if values.numel() == 0:
        return Summary(tuple(tensor.shape), None, None, None, None, 0, 0, 0)
    least, most = values.aminmax()
    nan = infinite = 0
    if not (math.isfinite(least) and math.isfinite(most)):
        nan = int(values.isnan().sum())
        infinite = int(values.isinf().sum())
        values = values[values.isfinite()]
        if values.numel() == 0:
            return Summary(tuple(tensor.shape), None, None, None, None, nan, infinite, zero)
        least, most = values.aminmax()
    wide = values if values.itemsize >= 4 else values.float()
    mean, deviation = float(wide.mean()), float(wide.std(correction=0))
    return Summary(tuple(tensor.shape), float(least), float(most), mean, deviation, nan, infinite, zero)
