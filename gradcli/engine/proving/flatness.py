"""Why a gradient is zero: the calls that received one and gave none back, and what each is like at other points.

A call that moves in steps is flat everywhere; a factor of 0 makes it constant; a saturated one is flat here, and on one
whole side, but not everywhere. What is flat at a point alone (a square at 0), or by cancellation, is nothing to tell.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

import torch

from gradcli.engine.defaults import parts_of
from gradcli.engine.proving.alone import cut_off, emitted, numbers_of, result_of, spreads, unequal
from gradcli.engine.proving.arriving import Graph, key
from gradcli.engine.proving.passing import Passed, Place, edge_of
from gradcli.engine.proving.replay import Replay
from gradcli.engine.proving.signs import MOSTLY
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


def killers(replay: Replay, name: str) -> list[Flat]:
    """The calls on the paths of an input that received a gradient and gave (almost) none of it back, and how."""
    found = []
    with replay.graph() as graph:
        if graph is None:
            return []
        arrived = graph.arrivals()
        downstream = _reading(graph, name)
        several = _read_twice(graph)

        def most(index: int) -> float:
            seen = [arrived[key(edge)] for edge in graph.wired[index].outs.values() if key(edge) in arrived]
            return max((one.most for one in seen), default=0.0)

        def silent(index: int, place: Place) -> bool:
            at = key(graph.wired[index].edges[place])
            return at in several or at not in arrived or arrived[at].most <= 1.01 * TINY * most(index)

        suspects = [
            index
            for index, call in reversed(graph.wired.items())
            if not call.hands_on and most(index) > 0 and any(silent(index, one) for one in downstream[index])
        ]
        for call in replay.fetched(suspects):
            received, reading = graph.received(call.index), downstream[call.index]
            for place, given in emitted(call, received).items():
                if (
                    place in reading
                    and not _stationary(call, place, reading)
                    and _largest(given) <= TINY * most(call.index)
                    and (one := kind_of(call, place)) is not None
                ):
                    found.append(one)
    return found


def _read_twice(graph: Graph) -> set[Any]:
    """The edges at which gradients of several calls, or of an output too, are added up."""
    count = Counter(key(edge) for call in graph.wired.values() for edge in call.edges.values())
    count.update(key(edge_of(one)) for one in graph.run.results if one.requires_grad)
    return {edge for edge, number in count.items() if number > 1}


def _stationary(call: Passed, place: Place, reading: set[Place]) -> bool:
    """Whether the operands that are 0 are made of the input too: A·|A| at 0 is flat at that point alone."""
    others = [one for one in reading if one[0] != place[0]]
    return any(
        isinstance(value := call.operands[ref], torch.Tensor) and not bool(value.detach().any()) for ref, _ in others
    )


def partly(replay: Replay, name: str) -> list[Flat]:
    """The calls that are saturated for nearly all elements of an operand of the shape of an input."""
    found = []
    with replay.graph() as graph:
        if graph is None:
            return []
        arrived = graph.arrivals()
        downstream = _reading(graph, name)
        whole = [
            index
            for index, call in graph.wired.items()
            if not call.hands_on and downstream[index] and None in call.outs
            and (seen := arrived.get(key(call.outs[None]))) is not None and seen.whole
        ]  # fmt: skip
        for call in replay.fetched(whole):
            for place in downstream[call.index] if spreads(call) else ():
                one = kind_of(call, place)
                if one is not None and one.kind == "saturated":
                    count = int(one.where.sum())
                    if MOSTLY * one.where.numel() <= count < one.where.numel():
                        found.append(one)
    return found


def _reading(graph: Graph, name: str) -> dict[int, set[Place]]:
    """For each call, the operands through which an input comes in."""
    carrying = {key(graph.run.leaves[name])}
    found = {}
    for call in graph.wired.values():
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
    if not bool(own.isfinite().all()):
        return None
    size = _size_of_others(call, place)
    draws = (_random(shape, trial, size) for trial in range(DRAWS))
    near = (draw if trial % 2 else own + draw for trial, draw in enumerate(draws))
    steepest, first, still, looked = torch.zeros(shape, dtype=torch.float64), None, True, 0
    for draw in near:
        seen = _at(call, place, draw)
        if seen is not None:
            steepest = torch.maximum(steepest, seen[0].nan_to_num(0, 0, 0))
            first = seen[1] if first is None else first
            still, looked = still and _same(first, seen[1]), looked + 1
    if looked < DRAWS // 2:
        return None
    every = torch.ones(shape, dtype=torch.bool)
    if not bool(steepest.any()):
        if still:
            return _flat_at(call, place, _constant(call, place), every)
        if call.step.style == "operator" and 0 in numbers_of(call):
            return None  # 0**A
        others = (_at(call, place, _random(shape, trial, size), others=trial) for trial in range(DRAWS))
        flat = all(one is None or not bool(one[0].nan_to_num(0, 0, 0).any()) for one in others)
        return _flat_at(call, place, "steps", every) if flat else None
    if _winner(call, place):
        return _flat_at(call, place, "chosen", every)
    where = _saturated(call, place, own, steepest, operand.dtype)
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


def _saturated(
    call: Passed, place: Place, own: torch.Tensor, steepest: torch.Tensor, dtype: torch.dtype
) -> torch.Tensor | None:  # fmt: skip
    """The elements at which a call is flat here, on both sides close by, and on one whole side."""
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
