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
from gradcli.engine.proving.arriving import Graph, key
from gradcli.engine.proving.kinks import at_kinks
from gradcli.engine.proving.passing import Passed
from gradcli.engine.proving.replay import Replay
from gradcli.engine.proving.sloping import Slopes, slopes

MOST = 4  # input elements that are tried for each call


@dataclass(frozen=True, slots=True)
class Corner:
    """A call at a kink, and the input elements by which the answer has one: name, place, slopes."""

    index: int
    elements: tuple[tuple[str, int, Slopes], ...]


def corners(outcome: Outcome, replay: Replay, steps: list[int]) -> list[Corner]:
    """The calls among these steps at which the answer has a kink."""
    movers: dict[int, list[tuple[str, int]]] = {}
    with replay.graph() as graph:
        if graph is None:
            return []
        arrived = graph.arrivals()
        live = [one for one in steps if any(key(edge) in arrived for edge in graph.wired[one].outs.values())]
        for call in replay.fetched(live):
            movers[call.index] = list(dict.fromkeys(_movers(graph, call)))
    tried: dict[tuple[str, int], Slopes | None] = {}
    found = []
    for at, elements in movers.items():
        kept = []
        for name, index in elements:
            if (name, index) not in tried:
                tried[name, index] = slopes(outcome, name, index)
            both = tried[name, index]
            if both is not None and both.is_kink and (len(movers) == 1 or _matters(replay, at, name, index, both)):
                kept.append((name, index, both))
        if kept:
            found.append(Corner(at, tuple(kept)))
    return found


def _movers(graph: Graph, call: Passed) -> Iterator[tuple[str, int]]:
    """A few elements of inputs that move the elements of the operands that are at a kink."""
    marked = at_kinks(call.step, call.operands, call.value)
    edges, count = graph.wired[call.index].edges, 0
    for ref, mask in marked.items():
        edge = edges.get((ref, None))
        if edge is None:
            continue
        weights = torch.rand(mask.shape, generator=torch.Generator().manual_seed(0)) + 0.5
        vector = (mask * weights).to(call.operands[ref].dtype)
        for name, one in graph.sent(edge, vector).items():
            for index in (one.reshape(-1) != 0).nonzero().reshape(-1).tolist():
                if count == MOST:
                    return
                count += 1
                yield name, index


def _matters(replay: Replay, step: int, name: str, index: int, both: Slopes) -> bool:
    """Whether the kink is another one with the result of a call held as it is at the point."""
    held = replay.call(step).value

    def swap(at: int, value: Any) -> Any:
        return held.detach().to(value.dtype) if at == step and isinstance(held, torch.Tensor) else value

    if not isinstance(held, torch.Tensor):
        return True
    without = slopes(replay.outcome, name, index, lambda: swap)
    if without is None:
        return True
    jump, other = both.right - both.left, without.right - without.left
    return abs(jump - other) > 10 * (both.error + without.error) + 1e-4 * abs(jump)
