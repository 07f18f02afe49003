"""Each operator on trial: its value and its vector-Jacobian product, at the operands that it really received.

An operator is wrong where it misses the result of fifty digits by more than 1e-9 of that result's largest element.
What float64 cannot hold (beyond 1.8e308, below 1e-306) is not held against it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import mpmath as mp
import torch

from gradcli.engine.checking import exact
from gradcli.engine.defaults import tensors
from gradcli.engine.operations import callable_of, operand_value
from gradcli.language.program import Call, Program, Ref

TOLERANCE = 1e-9
LARGEST, SMALLEST = 1.7e308, 1e-306


@dataclass(frozen=True, slots=True)
class Miss:
    """An operator that misses: which step, its value or its slope, where, torch's number and the exact one."""

    step: Call
    what: Literal["value", "slope"]
    index: tuple[int, ...]
    got: float
    want: float
    operand: float | None


def misses(program: Program, values: list[Any]) -> tuple[list[Miss], int, int]:
    """The operators of an evaluation that miss; how many were judged, and how many have no row to judge them by."""
    found: list[Miss] = []
    judged = unjudged = 0
    for index, step in enumerate(program.steps):
        if not isinstance(step, Call) or not _arithmetic(step, values[index]):
            continue
        args = [operand_value(operand, values) for operand in step.args]
        kwargs = {name: operand_value(operand, values) for name, operand in step.kwargs}
        miss = _judge(step, args, kwargs, values[index])
        if miss is None:
            unjudged += 1
            continue
        judged += 1
        found += miss
    return found, judged, unjudged


def _arithmetic(step: Call, value: Any) -> bool:
    """Whether a step computes floating numbers; those that only move or make them cannot be wrong here."""
    moves = step.style in {"index", "attribute", "field", "store"} or step.function.makes or step.function.writes
    computes = isinstance(value, torch.Tensor) and value.is_floating_point() and step.function.differentiable
    return (
        computes
        and not moves
        and step.function.family not in {"shape", "joining", "indexing", "conversion", "inspection"}
    )


def _judge(step: Call, args: list[Any], kwargs: dict[str, Any], value: torch.Tensor) -> list[Miss] | None:
    if not exact.known(step) or value.numel() > 4096:
        return None
    plain = exact.arrays_of(args)
    named = dict(zip(kwargs, exact.arrays_of(list(kwargs.values())), strict=True))
    with mp.workdps(50):
        true = exact.value(step, plain, named)
        if true is None or true.shape != tuple(value.shape):
            return None
        operand = next((one for one in tensors(args)), None)
        found = _compare(step, "value", value, true.items, operand)
        weights = [1.0 + 0.25 * (index % 7) for index in range(value.numel())]
        for place, one in enumerate(args):
            if isinstance(one, torch.Tensor) and one.is_floating_point() and isinstance(step.args[place], Ref):
                slope = _slopes(step, args, kwargs, plain, named, weights, place)
                if slope is not None:
                    found += slope
        return found


def _slopes(
    step: Call,
    args: list[Any],
    kwargs: dict[str, Any],
    plain: list[Any],
    named: dict[str, Any],
    weights: list[float],
    place: int,
) -> list[Miss] | None:
    true = exact.vector_product(step, plain, named, weights, place)
    if true is None:
        return None
    wanted, kinks = true
    leaf = args[place].detach().clone().requires_grad_()
    with torch.enable_grad():
        fresh = [one.detach() if isinstance(one, torch.Tensor) else one for one in args]
        fresh[place] = leaf
        result = callable_of(step)(*fresh, **kwargs)
        if not isinstance(result, torch.Tensor) or not result.requires_grad:
            return None
        cotangent = torch.tensor(weights, dtype=result.dtype).reshape(result.shape)
        try:
            (got,) = torch.autograd.grad(result, leaf, cotangent, allow_unused=True)
        except RuntimeError:  # no derivative by this operand, which then carries none
            return None
    if got is None:
        return None
    return _compare(step, "slope", got, wanted, leaf.detach(), kinks)


def _compare(
    step: Call, what: Literal["value", "slope"], got: torch.Tensor, want: list[Any], operand: torch.Tensor | None,
    skipped: set[int] | None = None,
) -> list[Miss]:  # fmt: skip
    """The worst element that misses, if any does."""
    sizes = [abs(float(one)) for index, one in enumerate(want) if not (skipped and index in skipped)]
    largest = max((size for size in sizes if math.isfinite(size)), default=0.0)
    if largest < SMALLEST or largest > LARGEST or any(math.isnan(size) or size > LARGEST for size in sizes):
        return []
    flat = got.detach().reshape(-1).tolist()
    worst: tuple[float, int] | None = None
    for index, (have, true) in enumerate(zip(flat, want, strict=True)):
        if skipped and index in skipped:
            continue
        error = abs(have - float(true))
        if not error <= TOLERANCE * largest and (worst is None or not error <= worst[0]):
            worst = (error, index)
    if worst is None:
        return []
    index = worst[1]
    place = tuple(int(one) for one in torch.unravel_index(torch.tensor(index), got.shape)) if got.dim() else ()
    same = operand is not None and operand.shape == got.shape
    at = float(operand.reshape(-1)[index]) if same and operand is not None else None
    return [Miss(step, what, place, flat[index], float(want[index]), at)]
