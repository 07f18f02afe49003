"""Arrays of exact numbers, and the few operations that every row is written with; each carries the chain rule along."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import torch

from gradcli.engine.checking.exact.number import Number, Unknown
from gradcli.engine.checking.exact.slopes import slope, slopes

Dims = int | Sequence[int] | None


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """Numbers in row-major order. torch moves their places, and the numbers follow."""

    shape: tuple[int, ...]
    items: list[Number]

    def places(self) -> torch.Tensor:
        """Where each number stands, as a tensor of this shape."""
        return torch.arange(len(self.items)).reshape(self.shape)

    def at(self, places: torch.Tensor) -> Array:
        """The numbers at these places, in their shape."""
        return Array(tuple(places.shape), [self.items[index] for index in places.reshape(-1).tolist()])

    def moved(self, move: Callable[[torch.Tensor], torch.Tensor]) -> Array:
        """The numbers where a function of torch moves their places."""
        return self.at(move(self.places()))

    def values(self) -> list[Any]:
        return [one.value for one in self.items]

    def doubles(self) -> torch.Tensor:
        """The numbers as float64 has them."""
        return torch.tensor([float(one) for one in self.values()], dtype=torch.float64).reshape(self.shape)

    def lines(self, dims: Dims = None) -> list[list[Number]]:
        """The numbers that belong together along some dimensions (None: all)."""
        kept, gone = _sides(self, dims)
        count = math.prod(self.shape[dim] for dim in kept)
        places = self.places().permute([*kept, *gone]).reshape(count, -1).tolist()
        return [[self.items[index] for index in row] for row in places]

    def reduced(self, function: Callable[[list[Number]], Number], dims: Dims = None, keepdim: bool = False) -> Array:
        """One number for each line along some dimensions."""
        kept, gone = _sides(self, dims)
        shape = [1 if dim in gone else size for dim, size in enumerate(self.shape) if keepdim or dim in kept]
        return Array(tuple(shape), [function(line) for line in self.lines(dims)])

    def along(self, function: Callable[[list[Number]], list[Number]], dim: int) -> Array:
        """Each line along a dimension replaced by one of any length."""
        if not self.shape:
            return Array((), function(self.items))
        made = [function(line) for line in self.lines(dim)]
        rest = [size for index, size in enumerate(self.shape) if index != dim % len(self.shape)]
        flat = Array((*rest, len(made[0]) if made else 0), [one for line in made for one in line])
        return flat.moved(lambda places: places.movedim(-1, dim))

    def sum(self, dims: Dims = None, keepdim: bool = False) -> Array:
        return self.reduced(total, dims, keepdim)

    def mean(self, dims: Dims = None, keepdim: bool = False) -> Array:
        summed = self.sum(dims, keepdim)
        return summed / (len(self.items) // max(len(summed.items), 1))

    def __add__(self, other: Any) -> Array:
        return _each(lambda a, b: Number(a.value + b.value, ((a, _ONE), (b, _ONE))), self, other)

    def __sub__(self, other: Any) -> Array:
        return _each(lambda a, b: Number(a.value - b.value, ((a, _ONE), (b, -_ONE))), self, other)

    def __mul__(self, other: Any) -> Array:
        return _each(_times, self, other)

    def __truediv__(self, other: Any) -> Array:
        return _each(_over, self, other)

    def __rsub__(self, other: Any) -> Array:
        return array(other) - self

    def __rtruediv__(self, other: Any) -> Array:
        return array(other) / self

    def __neg__(self) -> Array:
        return array(0) - self

    __radd__, __rmul__ = __add__, __mul__


_ONE = mp.mpf(1)


def array(value: Any) -> Array:
    """A tensor or a number as an array: its numbers, which are exact as they stand, and are not followed."""
    if isinstance(value, Array):
        return value
    if isinstance(value, torch.Tensor) and not value.is_complex():
        flat = value.detach().reshape(-1)
        numbers = (flat.double() if flat.is_floating_point() else flat).tolist()
        return Array(tuple(value.shape), [Number(mp.mpf(one)) for one in numbers])
    if isinstance(value, (bool, int, float)):
        return Array((), [Number(mp.mpf(value))])
    raise Unknown


def live(tensor: torch.Tensor) -> Array:
    """The numbers of a tensor by which is differentiated."""
    return Array(tuple(tensor.shape), [Number(one.value, live=True) for one in array(tensor).items])


def _sides(of: Array, dims: Dims) -> tuple[list[int], list[int]]:
    """The dimensions that a reduction keeps, and those that it takes together."""
    rank = len(of.shape)
    asked = (dims,) if isinstance(dims, int) else dims
    gone = sorted({dim % rank for dim in asked}) if asked is not None and rank else list(range(rank))
    return [dim for dim in range(rank) if dim not in gone], gone


def spread(*operands: Any) -> list[Array]:
    """Operands brought to one shape."""
    arrays = [array(one) for one in operands]
    places = torch.broadcast_tensors(*(one.places() for one in arrays))
    return [one.at(place) for one, place in zip(arrays, places, strict=True)]


def _each(function: Callable[..., Number], *operands: Any) -> Array:
    same = spread(*operands)
    return Array(same[0].shape, [function(*row) for row in zip(*(one.items for one in same), strict=True)])


def _times(a: Number, b: Number) -> Number:
    return Number(a.value * b.value, ((a, b.value), (b, a.value)))


def _over(a: Number, b: Number) -> Number:
    if not b.live:
        return Number(a.value / b.value, ((a, 1 / b.value),) if a.live else ())
    return Number(a.value / b.value, ((a, 1 / b.value), (b, -a.value / b.value**2)))


def each(function: Callable[..., Any], *operands: Any) -> Array:
    """A function of numbers, element by element; its slopes are found by differences."""

    def call(*numbers: Number) -> Number:
        values = [one.value for one in numbers]
        found = _real(function(*values))
        if not any(one.live for one in numbers):
            return Number(found)
        sources = []
        for place, one in enumerate(numbers):
            if one.live:
                head, tail = values[:place], values[place + 1 :]
                sources.append(
                    (one, slope(lambda t, head=head, tail=tail: _real(function(*head, t, *tail)), one.value))
                )
        return Number(found, sources)

    return _each(call, *operands)


def _real(value: Any) -> Any:
    if isinstance(value, mp.mpc):
        raise ValueError("outside of the real numbers")
    return mp.mpf(value)


def joint(function: Callable[[list[Any]], Sequence[Any]], operands: Iterable[Number]) -> list[Number]:
    """A function of a list of numbers that gives several, each of which may depend on all."""
    numbers = list(operands)
    values = [one.value for one in numbers]
    found = function(values)
    sources: list[list[tuple[Number, Any]]] = [[] for _ in found]
    for place, one in enumerate(numbers):
        if one.live:
            head, tail = values[:place], values[place + 1 :]
            column = slopes(lambda t, head=head, tail=tail: function([*head, t, *tail]), one.value)
            for made, partial in zip(sources, column, strict=True):
                made.append((one, partial))
    return [Number(_real(value), made) for value, made in zip(found, sources, strict=True)]


def total(numbers: Iterable[Number]) -> Number:
    """A sum, as if every digit were kept."""
    terms = list(numbers)
    return Number(mp.fsum(one.value for one in terms), [(one, _ONE) for one in terms if one.live])


def inner(left: Iterable[Number], right: Iterable[Number]) -> Number:
    """The sum of products."""
    pairs = list(zip(left, right, strict=True))
    sources = [source for a, b in pairs for source in ((a, b.value), (b, a.value)) if source[0].live]
    return Number(mp.fdot((a.value, b.value) for a, b in pairs), sources)
