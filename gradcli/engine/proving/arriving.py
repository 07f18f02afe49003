"""One backward pass, watched: what arrives where is looked at and let go, as three facts for each value.

What is not finite is taken out before it goes on, so that each call that makes NaN or Inf of finite numbers is seen to,
however many there are.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch.autograd.graph import GradientEdge

from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import Again, Edge, Short, again, short_of_memory
from gradcli.engine.proving.passing import Passed, Passing, Place
from gradcli.engine.readable import all_readable, computable, readable


class Arrival(NamedTuple):
    """Of a gradient: whether it is finite, its largest magnitude, and whether no element is 0."""

    finite: bool
    most: float
    whole: bool


@dataclass(slots=True)
class Wired:
    """Where the gradients of a call's operands and of its result arrive."""

    index: int
    edges: dict[Place, Edge]
    outs: dict[int | None, Edge]
    hands_on: bool


@dataclass(slots=True)
class Graph:
    """A recorded evaluation, and its calls' places in the graph."""

    run: Again
    wired: dict[int, Wired] = field(default_factory=dict)

    @classmethod
    def of(cls, outcome: Outcome, wide: bool) -> Graph | None:
        """The graph of an outcome, recorded anew."""
        wired: dict[int, Wired] = {}

        def look(call: Passed) -> None:
            wired[call.index] = Wired(call.index, call.edges, call.outs, call.hands_on)

        run = again(outcome, wide=wide, watch=Passing(outcome.request.program, look), recorded=True)
        return cls(run, wired) if run is not None else None

    def received(self, index: int) -> dict[int | None, torch.Tensor]:
        """What arrives at the result of a call, or at its items."""
        outs = self.wired[index].outs
        found = self.run.pulled(list(outs.values()))
        return {part: one for part, one in zip(outs, found, strict=True) if one is not None}

    def sent(self, edge: Edge, vector: torch.Tensor) -> dict[str, torch.Tensor]:
        """What arrives at the inputs when this gradient starts at an edge."""
        named = self.run.wanting
        start: Any = edge  # torch takes edges too
        try:
            found = torch.autograd.grad([start], list(named.values()), [vector], retain_graph=True, allow_unused=True)
        except RuntimeError as error:
            if short_of_memory(error):
                raise Short from error
            return {}
        return {name: one for name, one in zip(named, all_readable(found), strict=True) if one is not None}

    def arrivals(self) -> dict[Any, Arrival]:
        """What arrives in backward at each edge that a call knows, by `key`."""
        edges = [edge for call in self.wired.values() for edge in (*call.edges.values(), *call.outs.values())]
        wanted: dict[Any, set[int]] = defaultdict(set)
        leaves = {id(leaf): leaf for leaf in self.run.leaves.values() if leaf.requires_grad}
        for edge in edges:
            if isinstance(edge, GradientEdge):
                wanted[edge.node].add(edge.output_nr)
            else:
                leaves[id(edge)] = edge
        found: dict[Any, Arrival] = {}
        hooks = [node.register_prehook(_Seen(node, numbers, found)) for node, numbers in wanted.items()]
        try:
            ends = list(leaves.values())
            for leaf, one in zip(ends, self.run.pulled(ends), strict=True):
                if one is not None:
                    found[key(leaf)] = _told(one)[0]
        finally:
            for hook in hooks:
                hook.remove()
        return found


class _Seen:
    """A hook that tells what arrives at a node, and hands on what is finite of it."""

    def __init__(self, node: Any, numbers: set[int], found: dict[Any, Arrival]) -> None:
        self.node, self.numbers, self.found = node, numbers, found

    def __call__(self, arrived: tuple[torch.Tensor | None, ...]) -> tuple[torch.Tensor | None, ...] | None:
        handed, same = list(arrived), True
        for number, one in enumerate(arrived):
            if one is not None and number in self.numbers:
                self.found[self.node, number], cleaned = _told(one)
                if cleaned is not None:
                    handed[number], same = cleaned, False
        return None if same else tuple(handed)


def _told(value: torch.Tensor) -> tuple[Arrival, torch.Tensor | None]:
    """What is to be told of a gradient, and what of it goes on, where that is not the whole."""
    numbers = computable(readable(value.detach()))
    size = numbers.abs()
    most = float(size.max()) if size.numel() else 0.0
    finite = most - most == 0
    cleaned = None
    if not finite:
        cleaned = torch.where(numbers.isfinite(), numbers, 0).to(value.dtype)
    return Arrival(finite, most, int(torch.count_nonzero(numbers)) == numbers.numel()), cleaned


def key(edge: Edge) -> Any:
    """What tells edges apart: the node and which of its outputs; for a leaf, the tensor."""
    return id(edge) if isinstance(edge, torch.Tensor) else (edge.node, edge.output_nr)
