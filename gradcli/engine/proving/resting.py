"""Gradients of zero that no single call explains: whether the answer moves at all with the input, and where it stops.

The input is moved, a little and far, in float64. Where the answer stays, the calls where movement stops are to blame:
for good (the sum of a softmax), or only near by (a clamp before a product). Where it moves, its slope may not be 0.
"""

from __future__ import annotations

from typing import Any

import torch

from gradcli.engine.defaults import parts_of
from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import again
from gradcli.engine.proving.alone import unequal
from gradcli.engine.proving.passing import Passed
from gradcli.engine.proving.replay import Replay
from gradcli.engine.proving.stillness import Flat, kind_of
from gradcli.language.program import Call, Input, operands, references

NEAR, FAR = (1e-2, 1e-2, 1e-3), (1.0, 10.0, 100.0, 1.0, 10.0)
STILL = 1e-12  # what of a number may change by rounding in float64

Trace = dict[int, tuple[float, float]]
"""For each step a sum of its numbers with unequal weights, and how large they are."""


def resting(outcome: Outcome, replay: Replay, name: str) -> list[Flat] | None:
    """The calls at which movement of an input stops; None where the answer moves, or nothing can be told."""
    base = _traced(outcome, name, None)
    near = [_traced(outcome, name, (trial, size)) for trial, size in enumerate(NEAR)]
    if base is None or any(one is None for one in near):
        return None
    last = _last(outcome, base)
    moved = set().union(*(_moved(base, one) for one in near if one is not None))
    if not last or moved & last:
        return None
    far = [_traced(outcome, name, (trial, size)) for trial, size in enumerate(FAR, len(NEAR))]
    met = [_moved(base, one) for one in far if one is not None]
    if not met:
        return None
    ever = moved.union(*met)
    stops = [index for index in _stops(outcome, moved) if index in replay.calls and not replay.calls[index].hands_on]
    if not ever & last:
        first = next((index for index in _stops(outcome, ever) if index in replay.calls), None)
        return [_constant(outcome, replay.call(first), name)] if first is not None else []
    found = [
        kind_of(call, (ref, None))
        for call in replay.fetched(stops)
        for ref, value in call.operands.items()
        if ref in moved and isinstance(value, torch.Tensor)
    ]
    return [one for one in found if one is not None]


def _traced(outcome: Outcome, name: str, move: tuple[int, float] | None) -> Trace | None:
    """What an evaluation came by, at the point or at another; None where it cannot be made there."""
    found: Trace = {}

    def watch(index: int, value: Any) -> None:
        parts = [one.detach() for one in parts_of(value).values() if isinstance(one, torch.Tensor)]
        numbers = [torch.view_as_real(one.resolve_conj()) if one.is_complex() else one for one in parts]
        flat = [one.double().reshape(-1) for one in numbers]
        found[index] = (
            sum(float((one * unequal(one)).sum()) for one in flat),
            sum(float(one.abs().sum()) for one in flat),
        )

    def moving(one: str, value: torch.Tensor) -> torch.Tensor:
        if one != name or move is None:
            return value
        trial, size = move
        noise = torch.randn(value.shape, generator=torch.Generator().manual_seed(trial), dtype=torch.float64)
        return value + (size * (1 + value.abs()) * noise).to(value.dtype)

    run = again(outcome, wide=True, move=moving, watch=watch)
    return found if run is not None else None


def _moved(base: Trace, other: Trace) -> set[int]:
    """The steps whose values are others; those that are not finite count."""
    return {
        index
        for index, (total, size) in base.items()
        if index in other and not abs(total - other[index][0]) <= STILL * max(size, other[index][1])
    }


def _last(outcome: Outcome, base: Trace) -> set[int]:
    """The steps that the outputs are."""
    return {ref for one in outcome.request.program.outputs for ref in references(one.operand)} & set(base)


def _stops(outcome: Outcome, moved: set[int]) -> list[int]:
    """The calls that stay where an operand moves."""
    return [
        index
        for index, step in enumerate(outcome.request.program.steps)
        if isinstance(step, Call)
        and index not in moved
        and any(ref in moved for operand in operands(step) for ref in references(operand))
    ]


def _constant(outcome: Outcome, call: Passed, name: str) -> Flat:
    steps = outcome.request.program.steps
    at = next(index for index, step in enumerate(steps) if isinstance(step, Input) and step.name == name)
    return Flat(call.index, call.step, (at, None), "constant", torch.ones((), dtype=torch.bool), 0.0)
