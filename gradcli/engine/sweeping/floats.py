"""Floating numbers in their own order: the one halfway between two, and the next one.

Halving the distance between neighbours in this order reaches two adjacent numbers in as many steps as a number has
bits, wherever they lie: near 0, where there are as many numbers as between 1 and the largest, too.
"""

from __future__ import annotations

import torch

BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def ranks(numbers: torch.Tensor) -> torch.Tensor:
    """Whole numbers in the order of floating ones; adjacent ones differ by 1, and both zeros have the same."""
    kind = BITS[numbers.itemsize]
    bits = numbers.contiguous().view(kind)
    most = torch.iinfo(kind).max
    return torch.where(bits < 0, -(bits & most), bits).long()


def of_ranks(order: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The floating numbers at these places of the order."""
    kind = BITS[dtype.itemsize]
    sign = torch.iinfo(kind).min
    bits = torch.where(order < 0, (-order) | sign, order).to(kind)
    return bits.view(dtype)


def between(low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
    """The number halfway between two, as many floating numbers below as above it; `low` where they are adjacent."""
    a, b = ranks(low), ranks(high)
    return of_ranks((a >> 1) + (b >> 1) + (a & b & 1), low.dtype)


def ascending(numbers: torch.Tensor) -> torch.Tensor:
    """Each number once, in ascending order."""
    return torch.unique(numbers)  # type: ignore[no-any-return]  # torch has no types here


def adjacent(low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
    """Whether there is no number between two."""
    return ranks(high) - ranks(low) <= 1
