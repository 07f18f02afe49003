"""Arrays of numbers with fifty digits: a shape and a flat list, with torch's own broadcasting and indexing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import torch

DIGITS = 50


@dataclass(frozen=True, slots=True)
class Array:
    """Numbers in row-major order."""

    shape: tuple[int, ...]
    items: list[Any]

    def places(self) -> torch.Tensor:
        """Where each number stands, as a tensor of this shape: torch moves it, and the numbers follow."""
        return torch.arange(len(self.items)).reshape(self.shape)

    def at(self, places: torch.Tensor) -> Array:
        """The numbers at these places, in their shape."""
        return Array(tuple(places.shape), [self.items[index] for index in places.reshape(-1).tolist()])


def exact(tensor: torch.Tensor) -> Array:
    """The numbers of a tensor, which are exact as they stand."""
    return Array(tuple(tensor.shape), [mpmath.mpf(value) for value in tensor.detach().double().reshape(-1).tolist()])


def number(value: float) -> Array:
    """A number without dimensions."""
    return Array((), [mpmath.mpf(value)])


def mapped(function: Callable[..., Any], *operands: Array) -> Array:
    """A function of numbers on broadcast operands."""
    places = torch.broadcast_tensors(*(one.places() for one in operands))
    spread = [one.at(place) for one, place in zip(operands, places, strict=True)]
    values = [function(*row) for row in zip(*(one.items for one in spread), strict=True)]
    return Array(spread[0].shape, values)


def grouped(operand: Array, dims: Sequence[int] | None, keepdim: bool) -> tuple[tuple[int, ...], list[list[Any]]]:
    """The numbers that a reduction over `dims` (None: all) brings together, and the shape of its result."""
    rank = len(operand.shape)
    gone = sorted({dim % rank for dim in dims}) if dims is not None and rank else list(range(rank))
    kept = [dim for dim in range(rank) if dim not in gone]
    places = operand.places().permute([*kept, *gone]) if rank else operand.places()
    shape = tuple(operand.shape[dim] for dim in kept)
    rows = places.reshape(math.prod(shape), -1).tolist()
    if keepdim:
        shape = tuple(1 if dim in gone else size for dim, size in enumerate(operand.shape))
    return shape, [[operand.items[index] for index in row] for row in rows]
