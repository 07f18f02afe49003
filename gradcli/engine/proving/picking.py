"""Calls whose index names an element more than once, shown by their slopes.

Read twice, an element gets the gradients of both; written twice, it keeps one of the values while every source of them
gets a gradient.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import torch

from gradcli.engine.proving.alone import cut_off, emitted, result_of
from gradcli.engine.proving.passing import Passed, Place
from gradcli.engine.proving.replay import Replay

LARGEST = 4096  # elements of a source that is looked at
MOST = 64  # elements that are moved one by one
TWICE = 16  # numbers that occur twice of which each is tried


@dataclass(frozen=True, slots=True)
class Picked:
    """A call, an operand, and its elements that were read twice or written over."""

    call: Passed
    place: Place
    how: Literal["read", "overwritten"]
    where: torch.Tensor


def picked(replay: Replay, steps: set[int]) -> list[Picked]:
    """What the calls among these steps picked more than once."""
    found = []
    for call in replay.fetched(sorted(steps)):
        if isinstance(call.value, torch.Tensor) and call.value.numel() <= 1 << 20:
            for place, slope in emitted(call, {None: torch.ones_like(call.value)}).items():
                one = _twice(call, place, slope)
                if one is not None:
                    found.append(one)
    return found


def _twice(call: Passed, place: Place, slope: torch.Tensor) -> Picked | None:
    if slope.is_complex() or not slope.is_floating_point():
        return None
    several = slope > 1
    whole = bool((slope == slope.round()).all())
    if whole and bool(several.any()):
        return Picked(call, place, "read", several)
    if slope.numel() > LARGEST:
        return None
    if not whole:
        several = _read_less(call, place, slope)
        return Picked(call, place, "read", several) if bool(several.any()) else None
    still = _still(call, place) & (slope != 0)
    return Picked(call, place, "overwritten", still) if bool(still.any()) else None


def _read_less(call: Passed, place: Place, slope: torch.Tensor) -> torch.Tensor:
    """The elements whose slope falls, and not to 0, when an index that occurs twice is written over once: of means."""
    several = torch.zeros(slope.shape, dtype=torch.bool)
    for ref, index in call.operands.items():
        if not isinstance(index, torch.Tensor) or index.dtype not in (torch.int64, torch.int32) or index.numel() < 2:
            continue
        numbers, counts = torch.unique(index, return_counts=True)
        for number in numbers[counts > 1][:TWICE].tolist():
            other = next((one for one in numbers.tolist() if one != number), number + 1 if number == 0 else 0)
            changed = index.clone().reshape(-1)
            changed[int((changed == number).nonzero()[0])] = other
            instead = replace(call, operands={**call.operands, ref: changed.reshape(index.shape)})
            less = emitted(instead, {None: torch.ones_like(call.value)}).get(place)
            if less is not None:
                several |= (less != 0) & (less.abs() < slope.abs() * (1 - 1e-4))
    return several


def _still(call: Passed, place: Place) -> torch.Tensor:
    """The elements of an operand that can be changed without changing the result."""
    ref, part = place
    value = call.operands[ref] if part is None else call.operands[ref][part]
    marks = torch.arange(1, value.numel() + 1, dtype=torch.float64).reshape(value.shape) + 0.5
    nothing = torch.zeros(value.shape, dtype=torch.bool)

    def made(operand: torch.Tensor) -> torch.Tensor | None:
        try:
            with torch.no_grad():
                values, _ = cut_off(call, call.operands)
                whole = call.operands[ref]
                values = {at: one.double() if _real(one) else one for at, one in values.items()}
                values[ref] = operand if part is None else (*whole[:part], operand, *whole[part + 1 :])
                return result_of(call, values)  # type: ignore[no-any-return]
        except Exception:
            return None

    marked = made(marks)
    if marked is None:
        return nothing
    absent = ~torch.isin(marks, marked)
    if not bool(absent.any()):
        return nothing
    moved = made(torch.where(absent, marks + 1000, marks))
    if moved is not None and torch.equal(moved, marked):
        return absent
    still = nothing.clone()
    for index in absent.reshape(-1).nonzero().reshape(-1).tolist()[:MOST]:
        one = marks.clone()
        one.reshape(-1)[index] += 1000
        moved = made(one)
        still.reshape(-1)[index] = moved is not None and torch.equal(moved, marked)
    return still


def _real(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()
