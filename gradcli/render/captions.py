"""What drawings of a graph say of a node, of what it keeps, and of an edge: each a short line."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.graphed import DIGITS
from gradcli.graphed_parts import GraphEdge, GraphNode, Saved
from gradcli.numerals import bytes_text
from gradcli.render import Style, cells
from gradcli.report import LABEL, shortened


def named(node: GraphNode) -> str:
    """Its number and name, and which `.grad` it feeds: #2 AccumulateGrad: A.grad."""
    return f"#{node.number} {node.name}{f': {node.input}.grad' if node.input else ''}"


def source(node: GraphNode) -> str:
    """The text that recorded it, on one line that is not too long."""
    return shortened(node.source or "", LABEL)


def typed(shape: tuple[int, ...] | None, dtype: str | None) -> str:
    """(3×4) float32."""
    return "" if shape is None else f"({'×'.join(map(str, shape))}) {dtype}"


def kept(saved: Saved) -> str:
    """self (3×4) float32, 48 bytes; and where it is no memory of its own, whose it is."""
    if saved.state == "number":
        return f"{saved.name} {cells.number(saved.number)}"
    told = f"{saved.name} {typed(saved.shape, saved.dtype)}".strip()
    whose = f" of {saved.of}" if saved.of else ""
    memory = f"the same as {saved.same.name} of #{saved.same.node}" if saved.same else bytes_text(saved.bytes)
    states = {
        "kept": f"{told}, {memory}{whose if not saved.same else ''}",
        "changed": f"{told}, {memory}: written to since, so backward will refuse",
        "freed": f"{told}: freed, backward has run",
        "packed": f"{told}: packed by a hook",
    }
    return states[saved.state]


def flow(edge: GraphEdge, style: Style, most: int = cells.SMALL) -> str:
    """The gradient along an edge; of more than so many elements a summary."""
    if edge.gradient is None:
        return "none"
    limit = None if style.verbose else most
    return cells.tensor(edge.gradient, style.precision or DIGITS, limit)


def inside(node: GraphNode) -> Iterator[str]:
    """The lines of a box: name, text, shape, and what is kept."""
    yield named(node)
    if text := source(node):
        yield text
    if shape := typed(node.shape, node.dtype):
        yield shape
    for saved in node.saved:
        yield f"keeps {kept(saved)}"
