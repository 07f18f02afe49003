"""Kinks of the whole answer: a call whose operand is exactly at one, and the input elements that move it there.

Slopes on both sides decide, not the coincidence: abs(A)**2 is smooth at 0. Where several calls coincide, one is a cause
only if the slopes differ less with its result held still.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.kinks import at_kinks
from gradcli.engine.proving.replay import Passed, Replay, pulled_from
from gradcli.engine.proving.sloping import Slopes, slopes

MOST = 4  # input elements that are tried for each call


@dataclass(frozen=True, slots=True)
class Corner:
    """A call at a kink, and the input elements by which the answer has one: name, place, slopes."""

    call: Passed
    elements: tuple[tuple[str, int, Slopes], ...]


def corners(outcome: Outcome, replay: Replay, steps: list[int]) -> list[Corner]:
    """The calls among these steps at which the answer has a kink."""
    calls = {call.index: call for call in replay.calls}
    chosen = [calls[index] for index in steps if index in calls and _live(replay, calls[index])]
    tried: dict[tuple[str, int], Slopes | None] = {}
    found = []
    for call in chosen:
        kept = []
        for name, index in dict.fromkeys(_movers(replay, call)):
            if (name, index) not in tried:
                tried[name, index] = slopes(outcome, name, index)
            both = tried[name, index]
            if both is not None and both.is_kink and (len(chosen) == 1 or _matters(outcome, call, name, index, both)):
                kept.append((name, index, both))
        if kept:
            found.append(Corner(call, tuple(kept)))
    return found


def _live(replay: Replay, call: Passed) -> bool:
    """Whether backward comes to a call at all."""
    return any(one is not None for one in replay.pulled(list(call.outs.values())))


def _movers(replay: Replay, call: Passed) -> Iterator[tuple[str, int]]:
    """A few elements of inputs that move the elements of the operands that are at a kink."""
    marked = at_kinks(call.step, call.operands, call.value)
    named = {name: leaf for name, leaf in replay.leaves.items() if leaf.requires_grad}
    count = 0
    for ref, mask in marked.items():
        edge = call.edges.get((ref, None))
        if edge is None:
            continue
        weights = torch.rand(mask.shape, generator=torch.Generator().manual_seed(0)) + 0.5
        vector = (mask * weights).to(call.operands[ref].dtype)
        try:
            found = pulled_from(edge, vector, list(named.values()))
        except RuntimeError:
            continue
        for name, one in zip(named, found, strict=True):
            if one is None:
                continue
            for index in (one.reshape(-1) != 0).nonzero().reshape(-1).tolist():
                if count == MOST:
                    return
                count += 1
                yield name, index


def _matters(outcome: Outcome, call: Passed, name: str, index: int, both: Slopes) -> bool:
    """Whether the kink is another one with the result of a call held as it is at the point."""
    held = call.value

    def swap(at: int, value: Any) -> Any:
        return held.detach().to(value.dtype) if at == call.index and isinstance(held, torch.Tensor) else value

    if not isinstance(held, torch.Tensor):
        return True
    without = slopes(outcome, name, index, swap)
    if without is None:
        return True
    jump, other = both.right - both.left, without.right - without.left
    return abs(jump - other) > 10 * (both.error + without.error) + 1e-4 * abs(jump)
