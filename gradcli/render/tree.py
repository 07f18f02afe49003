"""A graph as a tree for the terminal: each node once, under the first that leads to it; later ones refer to it.

What is too deep for the width goes on below as a tree of its own, so that a chain of a thousand steps can be read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from rich.cells import cell_len

from gradcli.graphed import MOST, Graph
from gradcli.graphed_parts import GraphEdge
from gradcli.render import Style, captions, table
from gradcli.render.drawing import Line
from gradcli.render.grid import broken
from gradcli.report import shortened

WIDE = 120  # columns where there is no terminal
NAME = 28  # columns that a name takes; half of the others may be rails


class Rails(NamedTuple):
    """The lines that lead to a node: between others, at the last, and past it."""

    among: str
    last: str
    past: str


BOXES, PLAIN = Rails("├─ ", "└─ ", "│  "), Rails("|- ", "`- ", "|  ")
NOTHING = "   "


def pieces(result: Any, style: Style) -> Iterator[str]:
    """The tree, the totals and the notes of a graph."""
    graph: Graph = result
    drawn = [*_titled(graph, style), *_Tree(graph, style).lines(), *([[("", "")]] if graph.nodes else [])]
    totals: Line = [(style.shown(graph.totals()), "bold" if graph.nodes else "")]
    yield table.finished([(drawn, False), ([totals, *table.remarks(graph.notes, style)], True)], style)


def _titled(graph: Graph, style: Style) -> list[Line]:
    title = shortened(graph.title, table.LONG_TITLE)
    return [[(style.shown(title), "bold")]] if title else []


class _Place(NamedTuple):
    """A node to be shown: the edge that leads to it, the rails before it, and before what is below it."""

    node: int
    edge: GraphEdge | None
    before: str
    below: str
    level: int


class _Tree:
    """One drawing: what has been shown, and what is left for later."""

    def __init__(self, graph: Graph, style: Style) -> None:
        self.graph, self.style, self.ways = graph, style, graph.ways()
        self.rails = PLAIN if style.ascii else BOXES
        self.deepest = max(((style.width or WIDE) - NAME) // (2 * len(NOTHING)), 2)
        self.most = len(graph.nodes) if style.verbose else MOST
        self.shown: set[int] = set()
        self.later: dict[int, None] = {}  # in order, each once

    def lines(self) -> Iterator[Line]:
        """The tree of each output, then the parts that were put off, then what was left out."""
        for root, output in zip(self.graph.roots, self.graph.outputs, strict=True):
            if root is None:
                continue
            if len(self.graph.outputs) > 1:
                yield [(self.style.shown(output.label), "bold")]
            yield from self._part(root)
        begun = deque(self.later)
        while begun and len(self.shown) < self.most:
            start = begun.popleft()
            if start in self.shown:
                continue
            known = len(self.later)
            yield [("", "")]
            yield from self._part(start)
            begun.extend(list(self.later)[known:])
        left = len(self.graph.nodes) - len(self.shown)
        if left:
            yield [(self.style.shown(f"… and {left:,} more node{'' if left == 1 else 's'} (-v shows all)"), "dim")]

    def _part(self, start: int) -> Iterator[Line]:
        """One tree, from a node down to its leaves or as deep as the width lets it."""
        stack = [_Place(start, None, "", "", 0)]
        while stack:
            place = stack.pop()
            if place.node in self.shown:
                yield from self._referred(place, "above")
            elif len(self.shown) >= self.most:
                continue
            elif place.level > self.deepest and self.ways[place.node]:
                self.later.setdefault(place.node)
                yield from self._referred(place, "below")
            else:
                self.shown.add(place.node)
                children = list(self._children(place))
                yield from self._whole(place, bool(children))
                stack += reversed(children)

    def _children(self, place: _Place) -> Iterator[_Place]:
        ways = self.ways[place.node]
        for edge in ways:
            last = edge is ways[-1]
            rail = self.rails.last if last else self.rails.among
            past = NOTHING if last else self.rails.past
            yield _Place(edge.end, edge, place.below + rail, place.below + past, place.level + 1)

    def _whole(self, place: _Place, parent: bool) -> Iterator[Line]:
        """A node, then the gradient that comes to it and what it keeps."""
        node = self.graph.nodes[place.node]
        source = captions.source(node)
        told = "" if node.source == self.graph.title and place.edge is None else source
        told = "  ".join(filter(None, (told, captions.typed(node.shape, node.dtype))))
        rail = place.below + (self.rails.past if parent else NOTHING)
        yield from self._line(place.before, rail, captions.named(node), f"  {told}" if told else "")
        yield from self._flow(place, rail)
        for saved in node.saved:
            yield from self._line(rail, f"{rail}  ", "", f"keeps {captions.kept(saved)}")

    def _referred(self, place: _Place, where: str) -> Iterator[Line]:
        node = self.graph.nodes[place.node]
        yield from self._line(place.before, place.below, captions.named(node), f", {where}")
        yield from self._flow(place, place.below + NOTHING)

    def _flow(self, place: _Place, rail: str) -> Iterator[Line]:
        if self.graph.flowed and place.edge is not None:
            yield from self._line(rail, f"{rail}  ", "", f"gradient {captions.flow(place.edge, self.style)}")

    def _line(self, before: str, rail: str, name: str, told: str) -> Iterator[Line]:
        """A line; what does not fit the terminal goes on behind the rails."""
        name, told = self.style.shown(name), self.style.shown(told)
        if not self.style.width or cell_len(before + name + told) <= self.style.width:
            yield [(before, ""), (name, "bold"), (told, "")]
            return
        for text, look in ((name, "bold"), (told.strip(" ,"), "")):
            for part in broken((text,), max(self.style.width - len(rail) - 2, 16)) if text else ():
                yield [(before, ""), (part, look)]
                before = f"{rail}  "
