"""Each operator on trial: its value and its vector-Jacobian product, at the operands that it really received.

An operator is wrong where it misses the exact result by more than 1e-9 of that result's largest element. What float64
cannot hold (beyond 1.8e308, below 1e-306) is not held against it, nor is rounding where terms cancel that the operator
was given: the terms of a sum, or the gradients that come back to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import mpmath as mp
import torch

from gradcli.engine.checking.exact import moves
from gradcli.engine.checking.exact import step as steps
from gradcli.engine.checking.exact.array import Array, live
from gradcli.engine.checking.exact.number import LEVELS, Unknown, gradient
from gradcli.engine.checking.observed import Observed, Passed
from gradcli.engine.checking.subject import numbers
from gradcli.engine.defaults import tensors
from gradcli.engine.operations import callable_of
from gradcli.language.program import Call

TOLERANCE = 1e-9
LARGEST, SMALLEST = 1.7e308, 1e-306
ROUNDING = 2.0**-48  # of the terms that cancel: sixteen roundings
MOST = 4096  # elements of a value that is judged

# What adds its operands, or products of them: its terms may cancel.
_ADDS = frozenset(
    (
        "sum nansum mean nanmean cumsum trace @ matmul mm bmm mv dot vdot vecdot inner einsum addmm addmv addr addbmm "
        "baddbmm linear bilinear trapezoid cumulative_trapezoid multi_dot chain_matmul kron cross linalg.cross"
    ).split()
)

What = Literal["value", "slope"]


@dataclass(frozen=True, slots=True)
class Miss:
    """An operator that misses: which step, its value or its slope, torch's number and the exact one, the operand."""

    step: Call
    what: What
    got: float
    want: float
    operand: float | None


@dataclass(frozen=True, slots=True)
class Trial:
    """The operators that miss; the steps that no row could judge, and those that cut the graph."""

    misses: tuple[Miss, ...]
    unjudged: tuple[Call, ...]
    cuts: tuple[Call, ...]

    @property
    def acquitted(self) -> bool:
        """Whether every operator was judged and is right, so that only their interplay can lose digits."""
        return not (self.misses or self.unjudged or self.cuts)


def trial(observed: Observed) -> Trial:
    """Judge every call of an evaluation that computes floating numbers."""
    found: list[Miss] = []
    unjudged: list[Call] = []
    cuts: list[Call] = []
    for one in observed.calls:
        if cuts_path(one):
            cuts.append(one.step)
        if not _computes(one):
            continue
        try:
            found += _judged(one)
        except (Unknown, *steps.REFUSALS):
            unjudged.append(one.step)
    return Trial(tuple(found), tuple(unjudged), tuple(cuts))


def cuts_path(call: Passed) -> bool:
    """Whether a step takes a tensor that requires grad and gives floating numbers that do not."""
    given = any(one.requires_grad for one in tensors([call.args, call.kwargs]))
    made = [one for one in tensors(call.value) if one.is_floating_point()]
    return given and bool(made) and not any(one.requires_grad for one in made) and not call.step.function.makes


def _computes(call: Passed) -> bool:
    """Whether a step computes floating numbers; those that only move or make them cannot be wrong."""
    step = call.step
    moving = moves.moves(step) or step.style in ("attribute", "field", "store") or steps.keeps(step)
    makes = step.function.makes or not any(one.is_floating_point() for one in tensors([call.args, call.kwargs]))
    floating = any(one.is_floating_point() for one in tensors(call.value))
    return floating and not moving and not makes and step.function.differentiable


def _judged(call: Passed) -> Iterator[Miss]:
    if call.step.function.writes or not _in_double(call) or sum(one.numel() for one in tensors(call.value)) > MOST:
        raise Unknown
    for digits, _ in LEVELS:
        with mp.workdps(digits):
            operands: list[tuple[torch.Tensor, Array]] = []
            args, kwargs = _lifted(call.args, operands), {n: _lifted(one, operands) for n, one in call.kwargs.items()}
            value = steps.computed(call.step, args, kwargs)
            pulled, firm = _pulled(call, value, operands)
        if firm:
            break
    with mp.workdps(LEVELS[0][0]):
        return iter([*_value_misses(call, value), *_slope_misses(call, value, operands, pulled)])


def _in_double(call: Passed) -> bool:
    """Whether a step computed in float64, from finite numbers. A single number may have any dtype: it is exact as such."""
    given = [one for one in tensors([call.args, call.kwargs]) if one.is_floating_point()]
    made = [one for one in tensors(call.value) if one.is_floating_point()]
    wide = all(one.dtype == torch.float64 for one in made) and all(
        one.dtype == torch.float64 for one in given if one.dim()
    )
    return wide and all(bool(one.isfinite().all()) for one in given)


def _lifted(value: Any, operands: list[tuple[torch.Tensor, Array]]) -> Any:
    """The operands as exact numbers; those that require grad are followed."""
    if isinstance(value, torch.Tensor) and value.requires_grad:
        operands.append((value, live(value)))
        return operands[-1][1]
    return type(value)(_lifted(one, operands) for one in value) if type(value) in (list, tuple) else value


def _pulled(call: Passed, value: Any, operands: list[tuple[torch.Tensor, Array]]) -> tuple[list[Any], bool]:
    """The exact vector-Jacobian product with the gradient that came back, element by element of all operands."""
    wanted = [number for _, one in operands for number in one.items]
    if call.upstream is None or not isinstance(value, Array) or not bool(call.upstream.isfinite().all()):
        return [], True
    vector = numbers(call.upstream)
    if len(vector) != len(value.items):
        raise Unknown
    return gradient([(one, mp.mpf(v)) for one, v in zip(value.items, vector, strict=True)], wanted)


def _value_misses(call: Passed, value: Any) -> Iterator[Miss]:
    found = list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, tuple) else [value]
    made = list(tensors(call.value))
    for exact, got in zip(found, made, strict=False):
        if not isinstance(exact, Array) or not got.is_floating_point():
            continue
        if exact.shape != tuple(got.shape):
            raise Unknown
        wanted = exact.values()
        worst = _worst(got.reshape(-1).tolist(), wanted)
        if worst is not None and not _cancels(call, got, worst, wanted):
            yield Miss(
                call.step, "value", float(got.reshape(-1)[worst]), float(wanted[worst]), _operand(call, got, worst)
            )


def _cancels(call: Passed, got: torch.Tensor, worst: int, wanted: list[Any]) -> bool:
    """Whether terms cancel so far that float64 cannot add them any better."""
    if call.step.function.name not in _ADDS:
        return False
    sizes = steps.computed(call.step, _absolute(call.args), {name: _absolute(one) for name, one in call.kwargs.items()})
    error = abs(got.reshape(-1)[worst].item() - wanted[worst])
    return bool(error <= ROUNDING * abs(sizes.items[worst].value))


def _absolute(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.detach().abs()
    return type(value)(map(_absolute, value)) if type(value) in (list, tuple) else value


def _slope_misses(
    call: Passed, value: Any, operands: list[tuple[torch.Tensor, Array]], pulled: list[Any]
) -> Iterator[Miss]:
    if not pulled:
        return
    for (operand, followed), got in zip(operands, _torch_pulled(call), strict=True):
        wanted, pulled = pulled[: len(followed.items)], pulled[len(followed.items) :]
        if got is None:
            continue
        have = numbers(got)
        worst = _worst(have, wanted)
        if worst is not None and not abs(have[worst] - wanted[worst]) <= ROUNDING * _terms(call, value, followed):
            yield Miss(
                call.step, "slope", have[worst], float(wanted[worst]), float(operand.detach().reshape(-1)[worst])
            )


def _torch_pulled(call: Passed) -> tuple[torch.Tensor | None, ...]:
    """torch's own vector-Jacobian product by each operand that requires grad: the step run once more, alone."""
    leaves: list[torch.Tensor] = []

    def lifted(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            leaves.extend([value.detach().clone().requires_grad_()] if value.requires_grad else [])
            return leaves[-1] if value.requires_grad else value
        return type(value)(map(lifted, value)) if type(value) in (list, tuple) else value

    with torch.enable_grad():
        result = callable_of(call.step)(*lifted(call.args), **{name: lifted(one) for name, one in call.kwargs.items()})
        return torch.autograd.grad(result, leaves, call.upstream, allow_unused=True)


def _terms(call: Passed, value: Array, operand: Array) -> float:
    """The largest sum of |slope| · |gradient that came back|: how large what cancels is."""
    assert call.upstream is not None
    sums = [mp.mpf(0)] * len(operand.items)
    for one, weight in zip(value.items, numbers(call.upstream), strict=True):
        if weight:
            column, _ = gradient([(one, mp.mpf(1))], operand.items)
            sums = [so_far + abs(weight * (new or 0)) for so_far, new in zip(sums, column, strict=True)]
    return float(max(sums, default=0))


def _worst(got: list[float], want: list[Any]) -> int | None:
    """The element that misses most, if any does; kinks (None) are left out."""
    sizes = [abs(float(one)) for one in want if one is not None]
    largest = max((size for size in sizes if math.isfinite(size)), default=0.0)
    if largest < SMALLEST or any(not size <= LARGEST for size in sizes):
        return None
    errors = [0.0 if one is None else abs(have - float(one)) for have, one in zip(got, want, strict=True)]
    missing = [index for index, error in enumerate(errors) if not error <= TOLERANCE * largest]
    return max(missing, key=lambda index: math.inf if math.isnan(errors[index]) else errors[index], default=None)


def _operand(call: Passed, got: torch.Tensor, index: int) -> float | None:
    """The element of the first operand that stands where an element of the value stands."""
    first = next((one for one in tensors(call.args) if one.is_floating_point()), None)
    return float(first.detach().reshape(-1)[index]) if first is not None and first.shape == got.shape else None
