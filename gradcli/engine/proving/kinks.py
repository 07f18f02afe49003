"""Which elements of a call's operands are exactly at a kink, as its row of the vocabulary says where its kinks are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import torch

from gradcli.engine.defaults import parts_of
from gradcli.engine.operations import operand_value
from gradcli.language.program import Call, Ref, operands, references
from gradcli.language.vocabulary import Function

MOST_SORTED = 4096
FEW = 1024  # elements that are counted at once


def at_kinks(step: Call, values: Mapping[int, Any], value: Any) -> dict[int, torch.Tensor]:
    """For each operand (by the step that made it) the elements at a kink; nothing where there are none."""
    kinks = step.function.kinks
    floats = _floats(step, values)
    if not floats:
        return {}
    (first, x), *others = floats
    found: dict[int, torch.Tensor] = {}
    numbers = _points(kinks)
    if "bounds" in kinks:
        numbers = (*numbers, *_given(step, values), *_defaults(step.function))
    for number in dict.fromkeys(numbers):
        _mark(found, first, x, number)
    if others and ("bounds" in kinks or "ties" in kinks or "zero" in kinks):
        for ref, y in others:
            _meet(found, first, x, ref, y)
    if "ties" in kinks and not (others and step.function.pointwise):
        _repeat(found, floats, of_size="zero" in kinks)
    if "zero" in kinks:
        _mark(found, first, x, 0.0)
        if any(one.is_floating_point() and not no_zero(one) for one in parts_of(value).values()):
            found |= {ref: torch.ones_like(one, dtype=torch.bool) for ref, one in floats}
    return found


def breaks(function: Function) -> bool:
    """Whether a function has kinks or divides: `distances` has something to say of it."""
    return bool(function.kinks) or function.divides


def distances(step: Call, values: Mapping[int, Any]) -> Iterator[torch.Tensor]:
    """How far a call's operands are from its kinks at numbers, and from each other where it has one at ties.

    Of a division the divisor: how far it is from 0.
    """
    kinks = step.function.kinks
    floats = [one for _, one in _floats(step, values) if not one.is_complex()] if breaks(step.function) else []
    if not floats:
        return
    x, *others = floats
    if step.function.divides and len(step.args) > 1 and isinstance(step.args[1], Ref):
        divisor = values.get(step.args[1].step)
        if any(divisor is one for one in values.values()) and isinstance(divisor, torch.Tensor):
            yield divisor.detach()
    numbers = _points(kinks)
    if "bounds" in kinks:
        numbers = (*numbers, *_given(step, values), *_defaults(step.function))
    for number in dict.fromkeys(numbers):
        yield x - number
    if "bounds" in kinks or "ties" in kinks:
        for y in others:
            yield x - y


def no_zero(value: torch.Tensor) -> bool:
    """Whether no element is 0; NaN is none."""
    count = value.numel()
    if count == 1:
        return bool(value.item() != 0)
    if count <= FEW:
        return int(torch.count_nonzero(value)) == count
    return value.detach().bool().view(torch.uint8).min().item() == 1  # a quarter of the bytes that magnitudes take


def _floats(step: Call, values: Mapping[int, Any]) -> list[tuple[int, torch.Tensor]]:
    refs = dict.fromkeys(ref for operand in operands(step) for ref in references(operand))
    return [
        (ref, one.detach())
        for ref in refs
        if isinstance(one := values.get(ref), torch.Tensor) and (one.is_floating_point() or one.is_complex())
    ]


def _mark(found: dict[int, torch.Tensor], ref: int, x: torch.Tensor, number: float) -> None:
    if number == 0 and no_zero(x):
        return
    mask = x == number
    if bool(mask.any()):
        found[ref] = found[ref] | mask if ref in found else mask


def _meet(found: dict[int, torch.Tensor], first: int, x: torch.Tensor, ref: int, y: torch.Tensor) -> None:
    """Where two operands are equal."""
    try:
        same = x == y
    except RuntimeError:
        return
    if not bool(same.any()):
        return
    for one, operand in ((first, x), (ref, y)):
        mask = same.sum_to_size(operand.shape) > 0 if same.shape != operand.shape else same
        found[one] = found[one] | mask if one in found else mask


def _repeat(found: dict[int, torch.Tensor], floats: list[tuple[int, torch.Tensor]], of_size: bool) -> None:
    """Elements that occur more than once, in one operand or in several; `of_size`: whatever their sign."""
    if any(x.is_complex() for _, x in floats) or not 2 <= sum(x.numel() for _, x in floats) <= MOST_SORTED:
        return
    seen = [(ref, x.abs() if of_size else x) for ref, x in floats]
    flat = seen[0][1].reshape(-1) if len(seen) == 1 else torch.cat([x.reshape(-1) for _, x in seen])
    if flat.numel() <= 16:
        few = flat.tolist()
        if len(set(few)) == len(few):
            return
    ranked = flat.sort().values
    twice = ranked[1:][ranked[1:] == ranked[:-1]]
    if twice.numel():
        for ref, x in seen:
            mask = torch.isin(x, twice)
            found[ref] = found[ref] | mask if ref in found else mask


@cache
def _points(kinks: str) -> tuple[float, ...]:
    return tuple(float(one) for one in re.findall(r"(?<!\S)-?\d+(?!\S)", kinks))


def _given(step: Call, values: Mapping[int, Any]) -> list[float]:
    given = [operand_value(one, values) for one in operands(step) if not references(one)]  # type: ignore[arg-type]
    numbers = [float(one) for one in given if isinstance(one, (int, float)) and not isinstance(one, bool)]
    return [*numbers, *(-one for one in numbers)]


@cache
def _defaults(function: Function) -> tuple[float, ...]:
    found = [float(one) for one in re.findall(r"=(-?\d+(?:\.\d+)?)", function.signature)]
    return (*found, *(-one for one in found))
