"""One step with fifty digits, at the float64 operands that it really received: its value, and its product vᵀJ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import mpmath as mp
import torch

from gradcli.engine.checking import pointwise, whole
from gradcli.engine.checking.arrays import DIGITS, Array, exact, mapped, number
from gradcli.language.program import Call
from gradcli.language.signature import alternatives

COST = 20_000  # evaluations of one number that a step may take
_TINY = mp.mpf(10) ** -20  # the relative step of a difference: it errs by 1e-40, rounding by 1e-30

Operands = tuple[list[Any], dict[str, Any]]


def known(step: Call) -> bool:
    """Whether there is a row for a step."""
    return step.function.name in pointwise.TABLE or step.function.name in whole.TABLE


def value(step: Call, args: list[Any], kwargs: dict[str, Any]) -> Array | None:
    """The value of a step on arrays and numbers; None where no row computes it."""
    try:
        with mp.workdps(DIGITS):
            if step.function.name in pointwise.TABLE:
                return _pointwise(step, args, kwargs)
            given = _bound(step, args, kwargs)
            return whole.TABLE[step.function.name](given) if given else None
    except (
        ValueError,
        TypeError,
        ZeroDivisionError,
        OverflowError,
        KeyError,
        IndexError,
        AttributeError,
        mp.NoConvergence,
    ):
        return None


def _pointwise(step: Call, args: list[Any], kwargs: dict[str, Any]) -> Array:
    """Broadcast the operands; further parameters, numbers and words, are handed through."""
    function = pointwise.TABLE[step.function.name]
    operands = [
        one if isinstance(one, Array) else number(one) for one in args if not isinstance(one, (str, type(None)))
    ]
    if len(operands) != len(args):
        raise TypeError("an operand without a number")
    named = {name: mp.mpf(one) if isinstance(one, float) else one for name, one in kwargs.items() if name != "inplace"}
    arrays = {name: one for name, one in named.items() if isinstance(one, Array)}
    plain = {name: one for name, one in named.items() if name not in arrays}
    names = list(arrays)

    def call(*row: Any) -> Any:
        found = function(*row[: len(operands)], **plain, **dict(zip(names, row[len(operands) :], strict=True)))
        if isinstance(found, mp.mpc):
            raise ValueError("outside the real numbers")
        return mp.mpf(found)

    return mapped(call, *operands, *arrays.values())


def _bound(step: Call, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """The operands of a step by the names of its parameters."""
    for one in alternatives(step.function.signature):
        if one.fits(len(args), frozenset(kwargs)) and not one.star:
            found = dict(zip(one.positional, args, strict=False))
            for name, operand in kwargs.items():
                known_name = one.known(name)
                if known_name:
                    found[known_name] = operand
            if isinstance(found.get("dim", 0), (int, tuple, list, type(None))):
                first = next(iter(found))
                return {"input": found.pop(first), **found}
    return None


def vector_product(
    step: Call, args: list[Any], kwargs: dict[str, Any], weights: list[float], place: int
) -> tuple[list[Any], set[int]] | None:
    """vᵀJ of a step by its operand at `place`, and the elements where the slopes of both sides differ (kinks).

    Central differences with fifty digits; None where the step has no row or would cost too much.
    """
    operand = args[place]
    cost = len(operand.items) * len(weights) * (1 if step.function.name in pointwise.TABLE else 4)
    if cost > COST:
        return None
    with mp.workdps(DIGITS):
        base = value(step, args, kwargs)
        if base is None:
            return None
        found: list[Any] = []
        kinks: set[int] = set()
        for index, x in enumerate(operand.items):
            h = abs(x) * _TINY if x != 0 else _TINY
            sides = []
            for moved in (x + h, x - h):
                items = [*operand.items[:index], moved, *operand.items[index + 1 :]]
                after = value(step, [*args[:place], Array(operand.shape, items), *args[place + 1 :]], kwargs)
                if after is None:
                    return None
                change = mp.fsum(w * (a - b) for w, a, b in zip(weights, after.items, base.items, strict=True))
                sides.append(change / (moved - x))
            right, left = sides
            if abs(right - left) > mp.mpf(10) ** -8 * max(abs(right), abs(left), mp.mpf(10) ** -30):
                kinks.add(index)
            found.append((right + left) / 2)
        return found, kinks


def arrays_of(values: list[Any]) -> list[Any]:
    """Tensors of floating numbers as arrays; everything else as it is."""
    return [exact(one) if isinstance(one, torch.Tensor) and one.is_floating_point() else _plain(one) for one in values]


def _plain(one: Any) -> Any:
    if isinstance(one, torch.Tensor) and not one.is_complex():
        return Array(tuple(one.shape), [mp.mpf(int(number)) for number in one.reshape(-1).tolist()])
    return one


def finite(numbers: list[Any]) -> Iterator[float]:
    """The numbers that float64 can hold, as floats."""
    for one in numbers:
        as_float = float(one)
        if math.isfinite(as_float):
            yield as_float
