"""A whole program on exact numbers: its value and its derivative by every input, where every step can be followed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import torch

from gradcli.engine.checking.exact import step as steps
from gradcli.engine.checking.exact.array import Array, live
from gradcli.engine.checking.exact.number import LEVELS, Number, Unknown, gradient
from gradcli.engine.operations import operand_value
from gradcli.language.program import Bind, Call, Input, Program

MOST = 20_000  # numbers that a program may compute on the way
_SAME = 1e-12  # relative: two computations agree


@dataclass(frozen=True, slots=True)
class Exact:
    """The floating outputs, and for each input the derivative of their weighted sum (None at a kink)."""

    outputs: list[list[Any]]
    slopes: dict[str, list[Any]]


def exact(
    program: Program, point: dict[str, torch.Tensor], by: Sequence[str], values: list[Any],
    weights: Sequence[torch.Tensor],
) -> Exact | None:  # fmt: skip
    """The exact outputs and derivatives of a program, or None where a step has no row, or they would cost too much.

    `values` holds what the steps gave in float64, of which those without an input in them are taken as they are.
    """
    before: Exact | None = None
    try:
        for digits, _ in LEVELS:
            with mp.workdps(digits):
                found, firm = _once(program, point, by, values, weights)
            if before is not None and firm and _alike(before, found):
                return found
            before = found
    except (Unknown, *steps.REFUSALS):
        return None
    return before


def _once(
    program: Program, point: dict[str, torch.Tensor], by: Sequence[str], values: list[Any],
    weights: Sequence[torch.Tensor],
) -> tuple[Exact, bool]:  # fmt: skip
    inputs = {name: live(point[name]) for name in by}
    found: list[Any] = []
    computed = 0
    for index, step in enumerate(program.steps):
        if isinstance(step, Input):
            found.append(inputs.get(step.name, point[step.name]))
        elif isinstance(step, Bind):
            value = operand_value(step.operand, found)
            found.append(value if step.part is None else steps.part(value, step.part))
        elif isinstance(step, Call):
            args = [operand_value(operand, found) for operand in step.args]
            kwargs = {name: operand_value(operand, found) for name, operand in step.kwargs}
            followed = any(map(_has_array, (*args, *kwargs.values())))
            found.append(steps.carried(step, args, kwargs) if followed else values[index])
            computed += len(found[-1].items) if isinstance(found[-1], Array) else 0
            if computed > MOST:
                raise Unknown
        else:
            found.append(None)
    outputs = [one for output in program.outputs for one in _outputs(operand_value(output.operand, found))]
    floating = [one for one in outputs if isinstance(one, Array)]
    roots = [
        (number, mp.mpf(weight))
        for one, weighting in zip(floating, weights, strict=True)
        for number, weight in zip(one.items, weighting.reshape(-1).tolist(), strict=True)
    ]
    wanted = [one for name in by for one in inputs[name].items]
    slopes, firm = gradient(roots, wanted)
    each = iter(slopes)
    made = {name: [next(each) for _ in inputs[name].items] for name in by}
    return Exact([one.values() for one in floating], made), firm


def _has_array(value: Any) -> bool:
    if isinstance(value, slice):
        value = [value.start, value.stop, value.step]
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, Array) or (isinstance(value, (list, tuple)) and any(map(_has_array, value)))


def _outputs(value: Any) -> list[Any]:
    """The tensors of an output, in order; those without an input in them as arrays that are not followed."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [one for part in value for one in _outputs(part)]
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return [Array(tuple(value.shape), [Number(mp.mpf(one)) for one in value.reshape(-1).tolist()])]
    return [value]


def _numbers(of: Exact) -> list[Any]:
    return [one for part in (*of.outputs, *of.slopes.values()) for one in part]


def _alike(one: Exact, other: Exact) -> bool:
    """Whether two computations, the second with more digits, agree."""
    pairs = zip(_numbers(one), _numbers(other), strict=True)
    return all(a == b or (None not in (a, b) and abs(a - b) <= _SAME * max(abs(a), abs(b))) for a, b in pairs)
