"""Which layer each node stands in, and the bends of edges that pass layers by.

A node's layer is its depth, so that every edge goes down. All edges to a node that pass layers by share one bundle,
with a bend in each layer: a tensor that a thousand steps read costs a thousand bends, and not half a million.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gradcli.graphed import Graph

BENDS = 12  # for each node, on average; bundles beyond these are drawn straight, behind the boxes


@dataclass(slots=True)
class Layered:
    """Layers of items: nodes by their number, then bends. `down` has the pieces of edges between neighbouring layers.

    `bundles`: for a node its bends, from above; `first`: for each edge the item below its start, where it begins to
    be drawn; None where it is drawn straight.
    """

    layers: list[list[int]]
    down: list[list[int]]
    up: list[list[int]]
    bundles: dict[int, list[int]] = field(default_factory=dict)
    first: list[int | None] = field(default_factory=list)

    @property
    def items(self) -> int:
        return len(self.down)


def layered(graph: Graph) -> Layered:
    """The layers of a graph, each in the order in which a walk from the outputs meets its nodes."""
    tops = _tops(graph)
    bent = _affordable(graph, tops)
    made = Layered([[] for _ in range(graph.depth)], [[] for _ in graph.nodes], [[] for _ in graph.nodes])
    for node in graph.nodes:
        made.layers[node.depth - 1].append(node.number)
        if node.number in bent:
            _bundle(made, node.number, tops[node.number], node.depth - 1)
    made.first = [_first(graph, made, edge.start, edge.end) for edge in graph.edges]
    for edge, first in zip(graph.edges, made.first, strict=True):
        if first is not None:
            made.down[edge.start].append(first)
            made.up[first].append(edge.start)
    return made


def _tops(graph: Graph) -> dict[int, int]:
    """For each node that edges reach past a layer, the first layer that one of them passes."""
    tops: dict[int, int] = {}
    for edge in graph.edges:
        start, end = graph.nodes[edge.start].depth, graph.nodes[edge.end].depth
        if end - start > 1:
            tops[edge.end] = min(tops.get(edge.end, start), start)
    return tops


def _affordable(graph: Graph, tops: dict[int, int]) -> set[int]:
    """The nodes that get a bundle: the shortest ones first."""
    lengths = sorted((graph.nodes[end].depth - 1 - top, end) for end, top in tops.items())
    left, found = BENDS * len(graph.nodes), set()
    for length, end in lengths:
        left -= length
        if left < 0:
            break
        found.add(end)
    return found


def _bundle(made: Layered, end: int, top: int, layer: int) -> None:
    bends = list(range(made.items, made.items + layer - top))
    made.bundles[end] = bends
    for place, bend in enumerate(bends):
        made.layers[top + place].append(bend)
        made.down.append([bends[place + 1] if place + 1 < len(bends) else end])
        made.up.append([bends[place - 1]] if place else [])
    made.up[end].append(bends[-1])


def _first(graph: Graph, made: Layered, start: int, end: int) -> int | None:
    above, below = graph.nodes[start].depth, graph.nodes[end].depth
    if below - above == 1:
        return end
    bends = made.bundles.get(end)
    return bends[len(bends) - (below - above) + 1] if bends else None
