"""The recorded graph: a walk over next_functions from the outputs, each node once, without recursion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch

from gradcli.engine.failures import torch_message
from gradcli.engine.graph_saved import Keeper
from gradcli.engine.inputs import dtype_name
from gradcli.engine.nodes import node_name, node_of
from gradcli.errors import GradcliError, Span
from gradcli.graphed_parts import GraphEdge, GraphNode

Node = Any
"""A torch.autograd.graph.Node, of which torch's own types tell less than there is."""


class Origin(NamedTuple):
    """The text that a node was recorded for."""

    source: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """A walked graph: live nodes in the order of the walk, and the same as facts."""

    live: tuple[Node, ...]
    roots: tuple[int | None, ...]
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]


@dataclass(slots=True)
class Origins:
    """Watches an evaluation, and keeps the node that each step recorded."""

    steps: dict[Node, int] = field(default_factory=dict)

    def __call__(self, index: int, value: Any) -> None:
        for one in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(one, torch.Tensor) and (node := node_of(one)) is not None:
                self.steps.setdefault(node, index)  # a step that hands a tensor on did not record it


def walk(
    results: tuple[torch.Tensor, ...], names: Mapping[int, str], origins: Mapping[Node, Origin] | None = None
) -> Recorded:
    """The graph behind these tensors. `names`: what leaves are called, by their id; `origins`: the texts of nodes.

    Raises GradcliError of kind torch where torch does not say what recorded a tensor.
    """
    try:
        starts = [one.grad_fn for one in results]
    except RuntimeError as error:
        raise GradcliError("torch", f"torch: {torch_message(error)}") from error
    live, places = _in_order(starts)
    edges = tuple(
        GraphEdge(start, places[end], argument, result, *_made(end, result))
        for start, node in enumerate(live)
        for argument, (end, result) in enumerate(node.next_functions)
        if end is not None
    )
    depths = _depths(len(live), edges)
    variables = [getattr(node, "variable", None) for node in live]
    called = _called(variables, names)
    keeper = Keeper({id(leaf): name for leaf, name in zip(variables, called, strict=True) if name}, variables)
    nodes = []
    for index, node in enumerate(live):
        origin = (origins or {}).get(node, Origin("", None))
        one = called[index] is not None or len(getattr(node, "_input_metadata", ())) == 1
        shape, dtype = _made(node, 0) if one else (None, None)
        name = node_name(node)
        nodes.append(
            GraphNode(
                index, name, origin.source or None, origin.span, called[index], shape, dtype, depths[index],
                tuple(keeper.saved(index, node)),
            )
        )  # fmt: skip
    roots = tuple(None if start is None else places[start] for start in starts)
    return Recorded(tuple(live), roots, tuple(nodes), edges)


def _in_order(starts: list[Node]) -> tuple[list[Node], dict[Node, int]]:
    """The nodes, each when it is first met on the way back: first operands first, to their ends."""
    places: dict[Node, int] = {}
    stack = [start for start in reversed(starts) if start is not None]
    while stack:
        node = stack.pop()
        if node not in places:
            places[node] = len(places)
            stack += [end for end, _ in reversed(node.next_functions) if end is not None]
    return list(places), places


def _depths(count: int, edges: tuple[GraphEdge, ...]) -> list[int]:
    """For each node the longest way to it, told node by node once all that lead to it are told."""
    waiting = [0] * count
    ways: list[list[int]] = [[] for _ in range(count)]
    for edge in edges:
        waiting[edge.end] += 1
        ways[edge.start].append(edge.end)
    depths = [1] * count
    ready = [index for index in range(count) if not waiting[index]]
    while ready:
        start = ready.pop()
        for end in ways[start]:
            depths[end] = max(depths[end], depths[start] + 1)
            waiting[end] -= 1
            if not waiting[end]:
                ready.append(end)
    return depths


def _made(node: Node, result: int) -> tuple[tuple[int, ...] | None, str | None]:
    """Shape and dtype of a result that a node was recorded for, which its gradient has too."""
    variable = getattr(node, "variable", None)
    try:
        told = node._input_metadata[result] if variable is None else variable
        return tuple(int(size) for size in told.shape), dtype_name(told.dtype)
    except (AttributeError, IndexError, RuntimeError, TypeError):  # nested tensors have no shape to tell
        return None, None


def _called(variables: list[torch.Tensor | None], names: Mapping[int, str]) -> list[str | None]:
    """What each leaf is called: its name, or `leaf 1`, `leaf 2` where it has none."""
    found: list[str | None] = []
    count = 0
    for variable in variables:
        name = None if variable is None else names.get(id(variable))
        if variable is not None and name is None:
            count += 1
            name = f"leaf {count}"
        found.append(name)
    return found
