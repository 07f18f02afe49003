"""Where an operator misses the exact numbers: by more than 1e-9 of the largest element, and not for want of digits.

What float64 cannot hold (beyond 1.7e308, below 1e-306) is not held against an operator, nor is rounding where terms
cancel that it was given: the terms of a sum, or the gradients that come back to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import mpmath as mp
import torch

from gradcli.engine.checking.exact import step as steps
from gradcli.engine.checking.exact.array import Array
from gradcli.engine.checking.exact.number import Unknown, gradient
from gradcli.engine.checking.observed import Passed
from gradcli.engine.checking.subject import numbers
from gradcli.engine.defaults import tensors
from gradcli.engine.nested import mapped
from gradcli.engine.operations import callable_of
from gradcli.language.program import Call

TOLERANCE = 1e-9
LARGEST, SMALLEST = 1.7e308, 1e-306
ROUNDING = 2.0**-48  # of the terms that cancel: sixteen roundings

# What adds its operands, or products of them: its terms may cancel.
_ADDS = frozenset(
    (
        "sum nansum mean nanmean cumsum trace @ matmul mm bmm mv dot vdot vecdot inner einsum addmm addmv addr addbmm "
        "baddbmm linear bilinear trapezoid cumulative_trapezoid multi_dot chain_matmul kron cross linalg.cross"
    ).split()
)

Operands = list[tuple[torch.Tensor, Array]]
"""The operands that require grad, each with its exact numbers."""


@dataclass(frozen=True, slots=True)
class Miss:
    """An operator that misses: which step, its value or its slope, torch's number and the exact one, the operand."""

    step: Call
    what: Literal["value", "slope"]
    got: float
    want: float
    operand: float | None


def value_misses(call: Passed, value: Any) -> Iterator[Miss]:
    """Each result of a call whose numbers miss, at the worst element; `value` is what it should be."""
    found = list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, tuple) else [value]
    for exact, got in zip(found, tensors(call.value), strict=False):
        if not isinstance(exact, Array) or not got.is_floating_point():
            continue
        if exact.shape != tuple(got.shape):
            raise Unknown
        have, wanted = got.reshape(-1).tolist(), exact.values()
        worst = _worst(have, wanted)
        if worst is not None and not _cancels(call, worst, abs(have[worst] - wanted[worst])):
            yield Miss(call.step, "value", have[worst], float(wanted[worst]), _operand(call, got, worst))


def _cancels(call: Passed, worst: int, error: Any) -> bool:
    """Whether terms cancel so far that float64 cannot add them any better."""
    if call.step.function.name not in _ADDS:
        return False
    sizes = steps.computed(
        call.step, mapped(_absolute, call.args), {name: mapped(_absolute, one) for name, one in call.kwargs.items()}
    )
    return bool(error <= ROUNDING * abs(sizes.items[worst].value))


def _absolute(value: Any) -> Any:
    return value.detach().abs() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def slope_misses(call: Passed, value: Any, operands: Operands, pulled: list[Any]) -> Iterator[Miss]:
    """Each operand whose gradient misses, at the worst element; `pulled` is what theirs should be, all in a row."""
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
                call.step, "slope", have[worst], float(wanted[worst]), operand.detach().reshape(-1)[worst].item()
            )


def _torch_pulled(call: Passed) -> tuple[torch.Tensor | None, ...]:
    """torch's own vector-Jacobian product by each operand that requires grad: the step run once more, alone."""
    leaves: list[torch.Tensor] = []

    def lifted(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.requires_grad:
            return value
        leaves.append(value.detach().clone().requires_grad_())
        return leaves[-1]

    with torch.enable_grad():
        args, kwargs = mapped(lifted, call.args), {name: mapped(lifted, one) for name, one in call.kwargs.items()}
        result = callable_of(call.step)(*args, **kwargs)
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
