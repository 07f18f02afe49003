"""How a call is flat by an operand: everywhere, by a factor of 0, left out, or saturated on one whole side.

Told from what the call is like at other points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

from gradcli.engine.defaults import parts_of
from gradcli.engine.proving.alone import emitted, numbers_of, spreads, unequal
from gradcli.engine.proving.elsewhere import Met, alike, drawn, met_at, ramp, slopes_at
from gradcli.engine.proving.passing import Passed, Place
from gradcli.engine.readable import computable
from gradcli.language.program import Call

Kind = Literal["steps", "factor", "constant", "left out", "chosen", "saturated"]
TINY = 1e-6
DRAWS = 12
REACHES = (0.1, 1.0, 10.0, 1e4)


@dataclass(frozen=True, slots=True)
class Flat:
    """A call that gives nothing back to one operand, how it is flat, and at which of its elements."""

    index: int
    step: Call
    place: Place
    kind: Kind
    where: torch.Tensor
    at: float
    """The operand at the first of these elements."""


def largest(value: torch.Tensor) -> float:
    """The largest magnitude in a tensor."""
    return float(computable(value.detach()).abs().max()) if value.numel() else 0.0


def kind_of(call: Passed, place: Place) -> Flat | None:
    """How a call is flat by an operand; None where it is so by chance, or cannot be told."""
    ref, part = place
    value = call.operands[ref]
    operand = value if part is None else value[part]
    if operand.is_complex() or call.step.function.random:
        return None
    shape, own = operand.shape, operand.detach().double()
    if not bool(own.isfinite().all()):
        return None
    size = _size_of_others(call, place)
    draws = (drawn(shape, trial, size) for trial in range(DRAWS))
    near = (draw if trial % 2 else own + draw for trial, draw in enumerate(draws))
    met = [one for draw in near if (one := met_at(call, place, draw)) is not None]
    if len(met) < DRAWS // 2:
        return None
    steepest = torch.stack([one.slope for one in met]).amax(0)
    still = all(alike(met[0].value, one.value) for one in met)
    every = torch.ones(shape, dtype=torch.bool)
    if not bool(steepest.any()):
        if still:
            return _flat_at(call, place, _constant(call, place), every)
        if call.step.style == "operator" and 0 in numbers_of(call):
            return None  # 0**A
        others = (slopes_at(call, place, drawn(shape, trial, size), others=trial) for trial in range(DRAWS))
        if not all(one is None or not bool(one[0].nan_to_num(0, 0, 0).any()) for one in others):
            return None
        met += (narrow := ramp(call, place, met))
        if not narrow:
            return _flat_at(call, place, "steps", every)
        steepest = torch.stack([one.slope for one in narrow]).amax(0)
    if _winner(call, place):
        return _flat_at(call, place, "chosen", every)
    where = _saturated(call, place, own, steepest, operand.dtype, met if spreads(call) else [])
    return _flat_at(call, place, "saturated", where) if where is not None and bool(where.any()) else None


def _flat_at(call: Passed, place: Place, kind: Kind, where: torch.Tensor) -> Flat:
    ref, part = place
    operand = call.operands[ref] if part is None else call.operands[ref][part]
    first = int(where.reshape(-1).to(torch.uint8).argmax()) if where.numel() else 0
    at = float(operand.detach().reshape(-1)[first]) if where.numel() else 0.0
    return Flat(call.index, call.step, place, kind, where, at)


def _constant(call: Passed, place: Place) -> Kind:
    """Why a call is the same whatever an operand is: a condition or an index leaves it out, or a factor is 0."""
    others = [one for ref, one in call.operands.items() if ref != place[0]]
    whole = [one for one in others if isinstance(one, torch.Tensor)]
    if call.step.style == "index" or any(not (one.is_floating_point() or one.is_complex()) for one in whole):
        return "left out"
    zeros = [not bool(one.detach().any()) for one in whole] + [number == 0 for number in numbers_of(call)]
    return "factor" if any(zeros) else "constant"


def _size_of_others(call: Passed, place: Place) -> float:
    """How large the other operands are: a comparison with them is seen only from beyond."""
    others = [one for ref, one in call.operands.items() if ref != place[0] and isinstance(one, torch.Tensor)]
    sizes = [largest(one) for one in others if one.is_floating_point() and one.numel()]
    sizes += [abs(float(number)) for number in numbers_of(call)]
    return min(max([1.0, *(one for one in sizes if one < float("inf"))]), 1e6)


def _winner(call: Passed, place: Place) -> bool:
    """Whether another operand passes on the whole of a gradient that this one gets nothing of."""
    parts = parts_of(call.value)
    upstream = {part: unequal(one) for part, one in parts.items() if one.is_floating_point()}
    try:
        found = emitted(call, upstream, spread=True)
    except Exception:
        return False
    total = upstream.get(None)
    return total is not None and any(
        other != place and one.shape == total.shape and bool((one == total).any()) for other, one in found.items()
    )


def _saturated(
    call: Passed, place: Place, own: torch.Tensor, steepest: torch.Tensor, dtype: torch.dtype,
    met: list[Met],
) -> torch.Tensor | None:  # fmt: skip
    """The elements at which a call is flat here, on both sides close by, and on one whole side.

    `met`: slopes already met, and how far away: the live part may be a narrow one (clamp), which reaches step over.
    """
    # As near as the operand's dtype can tell from a kink that it is at.
    near = max(2 * torch.finfo(dtype).eps, 1e-9)
    size = 1 + own.abs()
    flat = torch.ones(own.shape, dtype=torch.bool)
    for by in (-near, 0.0, near):
        flat &= _flat(_each(call, place, own, by * size), steepest)
    sides = []
    for sign in (-1, 1):
        side = flat.clone()
        for reach in REACHES:
            side &= _flat(_each(call, place, own, sign * reach * size), steepest)
        for one in met:
            side &= ((one.at - own).sign() != sign) | _flat(one.slope, steepest)
        sides.append(side)
    if not bool((sides[0] ^ sides[1]).any()):
        return None  # flat on both sides: a product with zeros in it, which is not saturated
    return (sides[0] | sides[1]) & (steepest > 0)


def _flat(slope: torch.Tensor | None, steepest: torch.Tensor) -> torch.Tensor:
    if slope is None:
        return torch.zeros(steepest.shape, dtype=torch.bool)
    return slope.nan_to_num(float("inf")) <= TINY * steepest


def _each(call: Passed, place: Place, own: torch.Tensor, by: torch.Tensor) -> torch.Tensor | None:
    """The slopes with the operand moved: all elements together where they are apart, else one at a time."""
    if spreads(call) or not bool(by.any()) or own.numel() > 64:
        found = slopes_at(call, place, own + by)
        return found[0] if found is not None else None
    slope = torch.zeros(own.shape, dtype=torch.float64)
    for index in range(own.numel()):
        moved = own.clone().reshape(-1)
        moved[index] += by.reshape(-1)[index]
        found = slopes_at(call, place, moved.reshape(own.shape))
        if found is None:
            return None
        slope.reshape(-1)[index] = found[0].reshape(-1)[index]
    return slope
