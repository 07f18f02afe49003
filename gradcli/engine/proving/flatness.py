"""Why a gradient is zero: the calls that received one and gave none back, and what each is like at other points.

A call that moves in steps is flat everywhere; a factor of 0 makes it constant; a saturated one is flat here, and on one
whole side, but not everywhere. What is flat at a point alone (a square at 0), or by cancellation, is nothing to tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch

from gradcli.engine.defaults import parts_of
from gradcli.engine.proving.alone import cut_off, emitted, numbers_of, result_of, spreads, unequal
from gradcli.engine.proving.replay import Passed, Place, Replay, key
from gradcli.engine.readable import computable

Kind = Literal["steps", "factor", "constant", "left out", "chosen", "saturated"]

TINY = 1e-6
MOSTLY, LEAST = 0.9, 10  # the share of elements that is worth a word, and of how many
DRAWS = 12
REACHES = (0.1, 1.0, 10.0, 1e4)


@dataclass(frozen=True, slots=True)
class Flat:
    """A call that gives nothing back to one operand, how it is flat, and at which of its elements."""

    call: Passed
    place: Place
    kind: Kind
    where: torch.Tensor


def killers(replay: Replay, name: str) -> list[tuple[Passed, Place, torch.Tensor]]:
    """The calls on the paths of an input that received a gradient and gave (almost) none of it back."""
    arrived = replay.arrivals()
    downstream = _reading(replay, name)
    found = []
    for call in reversed(replay.calls):
        received = {part: one for part, edge in call.outs.items() if (one := arrived.get(key(edge))) is not None}
        most = max((_largest(one) for one in received.values()), default=0.0)
        if call.hands_on or most == 0:
            continue
        for place, given in emitted(call, received).items():
            if (
                place in downstream[call.index]
                and not _stationary(call, place, downstream[call.index])
                and _largest(given) <= TINY * most
            ):
                found.append((call, place, given))
    return found


def _stationary(call: Passed, place: Place, reading: set[Place]) -> bool:
    """Whether the operands that are 0 are made of the input too: A·|A| at 0 is flat at that point alone."""
    others = [one for one in reading if one[0] != place[0]]
    return any(
        isinstance(value := call.operands[ref], torch.Tensor) and not bool(value.detach().any()) for ref, _ in others
    )


def mostly_zero(grad: torch.Tensor) -> bool:
    """Whether a gradient is (almost) 0 for nearly all elements, of enough to speak of, and not for all."""
    if grad.numel() < LEAST or grad.is_complex():
        return False
    tiny = grad.abs() <= TINY * grad.abs().max()
    return MOSTLY * grad.numel() <= int(tiny.sum()) < grad.numel()


def partly(replay: Replay, name: str) -> list[Flat]:
    """The calls that are saturated for nearly all elements of an operand of the shape of an input."""
    arrived = replay.arrivals()
    downstream = _reading(replay, name)
    found = []
    for call in replay.calls:
        received = arrived.get(key(call.outs[None])) if None in call.outs else None
        if call.hands_on or received is None or not spreads(call) or not bool(received.all()):
            continue
        for place in downstream[call.index]:
            one = kind_of(call, place)
            if one is not None and one.kind == "saturated":
                count = int(one.where.sum())
                if MOSTLY * one.where.numel() <= count < one.where.numel():
                    found.append(one)
    return found


def _reading(replay: Replay, name: str) -> dict[int, set[Place]]:
    """For each call, the operands through which an input comes in."""
    leaf = replay.leaves[name]
    carrying = {key(leaf)}
    found = {}
    for call in replay.calls:
        found[call.index] = {place for place, edge in call.edges.items() if key(edge) in carrying}
        if found[call.index]:
            carrying |= {key(edge) for edge in call.outs.values()}
    return found


def _largest(value: torch.Tensor) -> float:
    return float(computable(value.detach()).abs().max()) if value.numel() else 0.0


def kind_of(call: Passed, place: Place) -> Flat | None:
    """How a call is flat by an operand; None where it is so by chance, or cannot be told."""
    ref, part = place
    value = call.operands[ref]
    operand = value if part is None else value[part]
    if operand.is_complex() or call.step.function.random:
        return None
    shape, own = operand.shape, operand.detach().double()
    draws = [_random(shape, trial, _size_of_others(call, place)) for trial in range(DRAWS)]
    if not bool(own.isfinite().all()):
        return None
    near = [draw if trial % 2 else own + draw for trial, draw in enumerate(draws)]
    looked = [found for draw in near if (found := _at(call, place, draw)) is not None]
    if len(looked) < DRAWS // 2:
        return None
    everywhere = torch.stack([slope for slope, _ in looked]).nan_to_num(0, 0, 0)
    steepest = everywhere.amax(0)
    values = [value for _, value in looked]
    every = torch.ones(shape, dtype=torch.bool)
    if not bool(steepest.any()):
        if all(_same(values[0], one) for one in values[1:]):
            return Flat(call, place, _constant(call, place), every)
        if call.step.style == "operator" and 0 in numbers_of(call):
            return None  # 0**A
        others = [_at(call, place, draw, others=trial) for trial, draw in enumerate(draws)]
        flat = all(one is None or not bool(one[0].nan_to_num(0, 0, 0).any()) for one in others)
        return Flat(call, place, "steps", every) if flat else None
    if _winner(call, place):
        return Flat(call, place, "chosen", every)
    where = _saturated(call, place, own, steepest)
    return Flat(call, place, "saturated", where) if where is not None and bool(where.any()) else None


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
    sizes = [_largest(one) for one in others if one.is_floating_point() and one.numel()]
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


def _saturated(call: Passed, place: Place, own: torch.Tensor, steepest: torch.Tensor) -> torch.Tensor | None:
    """The elements at which a call is flat here, on both sides close by, and on one whole side."""
    size = 1 + own.abs()
    flat = torch.ones(own.shape, dtype=torch.bool)
    for by in (-1e-6, 0.0, 1e-6):
        flat &= _flat(_each(call, place, own, by * size), steepest)
    sides = []
    for sign in (-1, 1):
        side = flat.clone()
        for reach in REACHES:
            side &= _flat(_each(call, place, own, sign * reach * size), steepest)
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
        found = _at(call, place, own + by)
        return found[0] if found is not None else None
    slope = torch.zeros(own.shape, dtype=torch.float64)
    for index in range(own.numel()):
        moved = own.clone().reshape(-1)
        moved[index] += by.reshape(-1)[index]
        found = _at(call, place, moved.reshape(own.shape))
        if found is None:
            return None
        slope.reshape(-1)[index] = found[0].reshape(-1)[index]
    return slope


def _at(
    call: Passed, place: Place, operand: torch.Tensor, others: int | None = None
) -> tuple[torch.Tensor, torch.Tensor] | None:
    """The size of the slopes by an operand with this value, in float64, and the value of the call."""
    ref, part = place
    values: dict[int, Any] = {one: _double(value, others) for one, value in call.operands.items()}
    whole = values[ref]
    if part is not None:
        whole = tuple(operand if at == part else one for at, one in enumerate(whole))
    values[ref] = operand if part is None else whole
    try:
        with torch.enable_grad():
            cut, leaves = cut_off(call, values)
            parts = {at: one for at, one in parts_of(result_of(call, cut)).items() if one.is_floating_point()}
            made = torch.cat([one.reshape(-1) for one in parts.values()])
            live = [(one, unequal(one)) for one in parts.values() if one.requires_grad]
            if not live:
                return torch.zeros(operand.shape, dtype=torch.float64), made.detach()
            slope = torch.autograd.grad(
                [one for one, _ in live], [leaves[place]], [vector for _, vector in live], allow_unused=True
            )[0]  # fmt: skip
    except Exception:
        return None
    found = torch.zeros(operand.shape, dtype=torch.float64) if slope is None else slope.abs()
    return found, made.detach()


def _double(value: Any, others: int | None) -> Any:
    if isinstance(value, tuple):
        return tuple(_double(one, others) for one in value)
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    return value.detach().double() if others is None else _random(value.shape, 100 + others)


def _random(shape: torch.Size, trial: int, size: float = 1.0) -> torch.Tensor:
    pair = trial // 4 * 2 + trial % 2  # each draw comes with its negative, which a one-sided function needs
    generator = torch.Generator().manual_seed(pair)
    draw = torch.randn(shape, generator=generator, dtype=torch.float64)
    return draw * (1.0, 0.4, 3.0 * size)[pair % 3] * (1 if trial // 2 % 2 else -1)


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and torch.equal(one.nan_to_num(0.5), other.nan_to_num(0.5))
