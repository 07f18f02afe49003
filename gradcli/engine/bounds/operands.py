"""The operands of a step as its rules look at them: in order, by the names of their parameters, its tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from gradcli.engine.defaults import tensors
from gradcli.language.program import Call
from gradcli.language.signature import SYNONYMS, fitting


class Operands:
    """What a step was given. Parameters are named as its signature names them."""

    __slots__ = ("_named", "args", "kwargs", "step", "tensors")

    def __init__(self, step: Call, args: list[Any], kwargs: dict[str, Any]) -> None:
        self.step = step
        self.args = args
        self.kwargs = kwargs
        self.tensors = list(tensors([args, kwargs]))
        self._named: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        """The name of the row; an in-place twin goes by that of the other."""
        return self.step.function.name.removesuffix("_")

    @property
    def values(self) -> list[Any]:
        return [*self.args, *self.kwargs.values()]

    @property
    def first(self) -> torch.Tensor:
        """The tensor that the step works on. Raises IndexError where there is none."""
        return self.tensors[0]

    def get(self, *names: str, default: Any = None) -> Any:
        """The operand that stands for the first of these parameters that has one."""
        if self._named is None:
            self._named = self._by_name()
        return next((self._named[name] for name in names if name in self._named), default)

    def _by_name(self) -> dict[str, Any]:
        named = {SYNONYMS.get(name, name): value for name, value in self.kwargs.items()} | self.kwargs
        lists = fitting(self.step.function, self.step.path, len(self.args), self.kwargs)
        for one in reversed(lists):  # a number by position may be one thing or another: it stands for both
            plain = one.positional[: -1 if one.star else None]
            named |= dict(zip(plain, self.args, strict=False))
            if one.star and len(self.args) > len(plain):
                named[one.positional[-1]] = self.args[len(plain) :]
        return named

    def whole(self, *names: str, default: int) -> int:
        """The whole number that stands for a parameter."""
        value = self.get(*names)
        return value if isinstance(value, int) else default

    def each(self, name: str, count: int, default: int) -> list[int]:
        """A whole number for each of `count` dimensions: one for all, a list, or `default` where none is given."""
        value = self.get(name)
        given = list(integers([value]))
        if isinstance(value, int) or len(given) == 1:
            return given * count
        return given if len(given) == count else [default] * count


Rule = Callable[[Operands], int | None]

# What a rule may raise where the operands do not go together: torch refuses them.
UNFIT = (TypeError, ValueError, IndexError, AttributeError, OverflowError, KeyError, RuntimeError, NotImplementedError)


def integers(values: Iterable[Any]) -> Iterator[int]:
    """Whole numbers in nested lists."""
    for value in values:
        if isinstance(value, int) and not isinstance(value, bool):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from integers(value)


def product(values: Iterable[Any]) -> int:
    """The product of the element counts of tensors and of the numbers in nested lists, or of their lengths."""
    total = 1
    for value in values:
        if isinstance(value, torch.Tensor):
            total *= max(value.numel(), 1)
        elif isinstance(value, (int, float)):
            total *= max(math.ceil(abs(value)), 1) if math.isfinite(value) else 1
        elif isinstance(value, (list, tuple)):
            total *= max(product(value), len(value))
    return total


def broadcast(shapes: Iterable[Iterable[int]]) -> tuple[int, ...] | None:
    """The shape that these shapes broadcast to, or None where they do not."""
    found: list[int] = []
    for shape in map(list, shapes):
        found = [1] * (len(shape) - len(found)) + found
        for place in range(1, len(shape) + 1):
            here, there = found[-place], shape[-place]
            if here != there and 1 not in (here, there):
                return None
            found[-place] = there if here == 1 else here
    return tuple(found)


def spread(given: Operands) -> int:
    """The elements of all tensors broadcast together; of the largest, where they do not go together."""
    shape = broadcast(one.shape for one in given.tensors)
    return math.prod(shape) if shape is not None else largest(given)


def largest(given: Operands) -> int:
    """The elements of the largest tensor."""
    return max((one.numel() for one in given.tensors), default=1)


def total(given: Operands) -> int:
    """The elements of all tensors together."""
    return sum(one.numel() for one in given.tensors)


def same(given: Operands) -> int:
    """As many elements as the first tensor has."""
    return given.first.numel()


def vectors(tensor: torch.Tensor) -> int:
    """How many vectors a tensor holds along its last dimension: the places of a sequence, the rows of a batch."""
    return tensor.numel() // max(tensor.shape[-1], 1)


def kept(tensor: torch.Tensor, dims: Iterable[int]) -> int:
    """The elements that are left where these dimensions are reduced to one place each."""
    gone = {dim % max(tensor.dim(), 1) for dim in dims}
    return math.prod(size for dim, size in enumerate(tensor.shape) if dim not in gone)
