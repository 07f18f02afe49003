"""One operation on exact numbers: by its row, by moving the numbers, or by what torch says of their order."""

from __future__ import annotations

from typing import Any

import torch

from gradcli.engine.checking.exact import moves
from gradcli.engine.checking.exact.array import Array, array, each
from gradcli.engine.checking.exact.binding import bound
from gradcli.engine.checking.exact.number import Unknown
from gradcli.engine.checking.exact.rows import COUPLED, ELEMENTWISE
from gradcli.engine.defaults import tensors
from gradcli.engine.nested import mapped
from gradcli.engine.operations import callable_of
from gradcli.language.program import Call

# What leaves every number as it is. (That some of them cut the graph is no matter here.)
_KEEPS = frozenset(
    "double contiguous clone detach data requires_grad_ alias_copy conj conj_physical resolve_conj resolve_neg real".split()
)
# What raises where numbers leave the domain of a function.
REFUSALS = (ValueError, TypeError, ZeroDivisionError, OverflowError, IndexError, KeyError, RuntimeError, AttributeError)


def _has_row(step: Call) -> bool:
    """Whether a row tells what a step should compute."""
    return step.function.name in ELEMENTWISE or step.function.name in COUPLED


def keeps(step: Call) -> bool:
    """Whether a step leaves every number as it is."""
    return step.function.name in _KEEPS


def computed(step: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The value of a step by its row: an array, several, or those of named fields. Raises Unknown where it has none."""
    name = step.function.name
    try:
        if name in ELEMENTWISE:
            return _elementwise(step, args, kwargs)
        if name in COUPLED:
            row = COUPLED[name]
            plain = mapped(_operand, args), {key: mapped(_operand, one) for key, one in kwargs.items()}
            words, given = bound(step, row, *plain)
            return row(*words, **given)
    except REFUSALS:
        raise Unknown from None
    raise Unknown


def carried(step: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The value of any step: by its row, or where it moves or compares numbers, by torch's own function."""
    if _has_row(step):
        return computed(step, args, kwargs)
    if step.function.name in _KEEPS:
        return args[0]
    try:
        if step.style == "field":
            return args[0][step.path]
        if step.style == "index" and isinstance(args[0], (dict, tuple)):
            return part(args[0], args[1])
        if moves.moves(step):
            return moves.moved(step, args, kwargs)
        if not step.function.differentiable and not step.function.random:
            return _told(step, args, kwargs)
    except REFUSALS:
        raise Unknown from None
    raise Unknown


def part(value: Any, index: int) -> Any:
    """An item of several values, which may have names."""
    return list(value.values())[index] if isinstance(value, dict) else value[index]


def _operand(value: Any) -> Any:
    """Floating tensors as arrays; indices, masks and numbers as they are."""
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return array(value)
    if isinstance(value, complex) or (isinstance(value, torch.Tensor) and value.is_complex()):
        raise Unknown
    return value


def _elementwise(step: Call, args: list[Any], kwargs: dict[str, Any]) -> Array:
    row = ELEMENTWISE[step.function.name]
    plain = [_spread(one) for one in args], {key: _spread(one) for key, one in kwargs.items()}
    words, given = bound(step, row, *plain)
    places = [k for k, one in enumerate(words) if isinstance(one, Array)]
    names = [name for name, one in given.items() if isinstance(one, Array)]

    def call(*numbers: Any) -> Any:
        filled, named = list(words), dict(given)
        for place, one in zip(places, numbers, strict=False):
            filled[place] = one
        named |= zip(names, numbers[len(places) :], strict=True)
        return row(*filled, **named)

    return each(call, *(words[k] for k in places), *(given[name] for name in names))


def _spread(value: Any) -> Any:
    """Every tensor as an array: whole numbers count as such."""
    if isinstance(value, complex):
        raise Unknown
    return array(value) if isinstance(value, torch.Tensor) else value


def _told(step: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What a step says of the numbers without computing new ones: comparisons, indices of extremes, shapes."""

    def doubled(value: Any) -> Any:
        return value.doubles() if isinstance(value, Array) else value

    given = {name: mapped(doubled, one) for name, one in kwargs.items()}
    found = callable_of(step)(*mapped(doubled, args), **given)
    if any(one.is_floating_point() for one in tensors(found)):
        raise Unknown
    return found
