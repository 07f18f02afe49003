"""A whole program with fifty digits, and its derivative: the exact column, where every step has a row."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import torch

from gradcli.engine.checking import exact
from gradcli.engine.checking.arrays import DIGITS, Array, number
from gradcli.engine.operations import callable_of, operand_value
from gradcli.language.program import Bind, Call, Enter, Input, Leave, Program

COST = 400_000  # evaluations of one number that a derivative may take
_STEP = mp.mpf(10) ** -20

# Families whose rows only move numbers: torch moves their places, and the numbers follow.
_MOVES = frozenset({"shape", "joining", "indexing", "attributes"})
_KEEPS = frozenset({"double", "float", "contiguous", "clone", "to"})


class Unknown(Exception):
    """A step has no row."""


def derivative(program: Program, point: dict[str, torch.Tensor], name: str) -> list[Any] | None:
    """The derivative of the sum of the outputs by each element of an input, or None where a step has no row."""
    arrays: dict[str, Any] = {one: exact.arrays_of([tensor])[0] for one, tensor in point.items()}
    base = arrays[name]
    if len(base.items) * sum(isinstance(step, Call) for step in program.steps) * max(len(base.items), 1) > COST:
        return None
    found = []
    try:
        with mp.workdps(DIGITS):
            for index, x in enumerate(base.items):
                h = abs(x) * _STEP if x != 0 else _STEP
                above, below = (
                    _total(program, {**arrays, name: _moved(base, index, x + sign * h)}) for sign in (1, -1)
                )
                found.append((above - below) / (2 * h))
    except (Unknown, ValueError, TypeError, IndexError, RuntimeError, ZeroDivisionError, OverflowError):
        return None
    return found if all(map(mp.isfinite, found)) else None


def _moved(base: Array, index: int, value: Any) -> Array:
    return Array(base.shape, [*base.items[:index], value, *base.items[index + 1 :]])


def _total(program: Program, inputs: dict[str, Any]) -> Any:
    """The sum of all outputs."""
    values: list[Any] = []
    for step in program.steps:
        if isinstance(step, Input):
            values.append(inputs[step.name])
        elif isinstance(step, Bind):
            bound = operand_value(step.operand, values)
            values.append(bound if step.part is None else bound[step.part])
        elif isinstance(step, Call):
            values.append(_step(step, values))
        elif isinstance(step, (Enter, Leave)):
            raise Unknown
        else:
            values.append(None)
    outputs = [operand_value(output.operand, values) for output in program.outputs]
    if not all(isinstance(one, Array) for one in outputs):
        raise Unknown
    return mp.fsum(item for one in outputs for item in one.items)


def _step(step: Call, values: list[Any]) -> Any:
    args = [operand_value(operand, values) for operand in step.args]
    kwargs = {name: operand_value(operand, values) for name, operand in step.kwargs}
    if exact.known(step):
        found = exact.value(step, args, kwargs)
        if found is None:
            raise Unknown
        return found
    if step.function.makes and not any(isinstance(one, Array) for one in args):
        return exact.arrays_of([callable_of(step)(*args, **{"dtype": torch.float64, **kwargs})])[0]
    if step.function.name in _KEEPS and args and isinstance(args[0], Array):
        return args[0]
    if step.function.family in _MOVES or step.style == "index":
        return _move(step, args, kwargs)
    raise Unknown


def _move(step: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Run torch's own step on the places of the numbers; place 0 stands for a zero that the step puts in."""
    pool: list[Any] = [mp.mpf(0)]

    def places(value: Any) -> Any:
        if isinstance(value, Array):
            start = len(pool)
            pool.extend(value.items)
            return (torch.arange(len(value.items)) + start).reshape(value.shape)
        return type(value)(map(places, value)) if type(value) in (list, tuple) else value

    moved = callable_of(step)(*map(places, args), **{name: places(one) for name, one in kwargs.items()})
    if isinstance(moved, torch.Tensor) and moved.dtype == torch.int64:
        return Array(tuple(moved.shape), [pool[index] for index in moved.reshape(-1).tolist()])
    if isinstance(moved, (int, float)):
        return number(moved)
    if isinstance(moved, (tuple, list)) and all(isinstance(one, torch.Tensor) for one in moved):
        return tuple(Array(tuple(one.shape), [pool[i] for i in one.reshape(-1).tolist()]) for one in moved)
    raise Unknown
