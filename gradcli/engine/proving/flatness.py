"""Why a gradient is zero: the calls that received one and gave (almost) none of it back.

What is flat at a point alone (a square at 0), or by cancellation, is nothing to tell.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch

from gradcli.engine.proving.alone import emitted, spreads
from gradcli.engine.proving.arriving import Graph, key
from gradcli.engine.proving.passing import Passed, Place, edge_of
from gradcli.engine.proving.replay import Replay
from gradcli.engine.proving.signs import MOSTLY
from gradcli.engine.proving.stillness import TINY, Flat, kind_of, largest


def killers(replay: Replay, name: str, stationary: bool = False) -> list[Flat]:
    """The calls on the paths of an input that received a gradient and gave (almost) none of it back, and how.

    `stationary`: those too that multiply by a 0 that is made of the input itself.
    """
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
                    and (stationary or not _stationary(call, place, reading))
                    and largest(given) <= TINY * most(call.index)
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
