"""What a picture is made of, before it has a place: a box of lines for each node, a label for each edge, sizes."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len

from gradcli.graphed import Graph
from gradcli.graphed_parts import GraphEdge
from gradcli.render import Style, captions, escaped
from gradcli.report import shortened

# All in pixels of a picture at its own size.
LETTER = 6.6  # what a letter of a monospace font takes
LINE = 15.0
PADDING = 8.0
SMALL = 4  # elements of a gradient that stand beside an edge whole
LONGEST = 64  # characters of a line


@dataclass(frozen=True, slots=True)
class Box:
    """A node as it is drawn: its lines, its size, whether it is a leaf, and the labels of the edges that leave it."""

    lines: tuple[str, ...]
    width: float
    height: float
    leaf: bool
    labels: tuple[str, ...]


def boxes(graph: Graph) -> list[Box]:
    """A box for each node, in their order."""
    return [_box(graph, index, ways) for index, ways in enumerate(graph.ways())]


def span(text: str) -> float:
    """The width of a text."""
    return cell_len(text) * LETTER


def room_of(label: str) -> float:
    """The width that an edge has to itself where it leaves its box."""
    return max(span(label) + PADDING, 2 * PADDING)


def _box(graph: Graph, index: int, ways: list[GraphEdge]) -> Box:
    node = graph.nodes[index]
    lines = tuple(shortened(escaped(line), LONGEST) for line in captions.inside(node))
    labels = tuple(_label(graph, edge) for edge in ways)
    below = sum(map(room_of, labels))
    width = max(*map(span, lines), below) + 2 * PADDING
    return Box(lines, width, len(lines) * LINE + PADDING, node.input is not None, labels)


def _label(graph: Graph, edge: GraphEdge) -> str:
    return shortened(captions.flow(edge, Style(), SMALL), LONGEST) if graph.flowed else ""
