"""Each operator on trial: its value and its vector-Jacobian product, at the operands that it really received."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mpmath as mp
import torch

from gradcli.engine.checking.exact import moves
from gradcli.engine.checking.exact import step as steps
from gradcli.engine.checking.exact.array import Array, live
from gradcli.engine.checking.exact.number import LEVELS, Unknown, gradient
from gradcli.engine.checking.misses import Miss, Operands, slope_misses, value_misses
from gradcli.engine.checking.observed import Observed, Passed
from gradcli.engine.checking.subject import numbers
from gradcli.engine.defaults import tensors
from gradcli.engine.nested import mapped
from gradcli.language.program import Call

MOST = 4096  # elements of a value that is judged


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
    for one in filter(_computes, observed.calls):
        try:
            found += _judged(one)
        except (Unknown, *steps.REFUSALS):
            unjudged.append(one.step)
    return Trial(tuple(found), tuple(unjudged), tuple(one.step for one in observed.calls if cuts_path(one)))


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


def _judged(call: Passed) -> list[Miss]:
    """The misses of one operator. Raises Unknown where no row tells what it should compute."""
    if call.step.function.writes or not _in_double(call) or sum(one.numel() for one in tensors(call.value)) > MOST:
        raise Unknown
    for digits, _ in LEVELS:
        with mp.workdps(digits):
            operands: Operands = []
            args, kwargs = _followed(call, operands)
            value = steps.computed(call.step, args, kwargs)
            pulled, firm = _pulled(call, value, operands)
        if firm:
            break
    with mp.workdps(LEVELS[0][0]):
        return [*value_misses(call, value), *slope_misses(call, value, operands, pulled)]


def _in_double(call: Passed) -> bool:
    """Whether a step computed in float64, from finite numbers. A single number may have any dtype: it is exact as such."""
    given = [one for one in tensors([call.args, call.kwargs]) if one.is_floating_point()]
    made = [one for one in tensors(call.value) if one.is_floating_point()]
    wide = all(one.dtype == torch.float64 for one in made) and all(
        one.dtype == torch.float64 for one in given if one.dim()
    )
    return wide and all(bool(one.isfinite().all()) for one in given)


def _followed(call: Passed, operands: Operands) -> tuple[list[Any], dict[str, Any]]:
    """The operands of a call, those that require grad as exact numbers, which are added to `operands`."""

    def followed(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.requires_grad:
            return value
        operands.append((value, live(value)))
        return operands[-1][1]

    return mapped(followed, call.args), {name: mapped(followed, one) for name, one in call.kwargs.items()}


def _pulled(call: Passed, value: Any, operands: Operands) -> tuple[list[Any], bool]:
    """The exact vector-Jacobian product with the gradient that came back, element by element of all operands."""
    wanted = [number for _, one in operands for number in one.items]
    if call.upstream is None or not isinstance(value, Array) or not bool(call.upstream.isfinite().all()):
        return [], True
    vector = numbers(call.upstream)
    if len(vector) != len(value.items):
        raise Unknown
    return gradient([(one, mp.mpf(v)) for one, v in zip(value.items, vector, strict=True)], wanted)
