"""A graph as a Mermaid flowchart, which GitHub and many editors draw; its text means nothing to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.graphed import Graph
from gradcli.render import Style, captions, escaped


def pieces(result: Any, style: Style) -> Iterator[str]:
    """The flowchart, a line a node and a line an edge; leaves are rounded."""
    graph: Graph = result
    yield "flowchart TD\n"
    for node in graph.nodes:
        opening, closing = ("([", "])") if node.input else ("[", "]")
        lines = "<br/>".join(_safe(line) for line in captions.inside(node))
        yield f'    n{node.number}{opening}"{lines}"{closing}\n'
    for edge in graph.edges:
        label = f'|"{_safe(captions.flow(edge, style))}"|' if graph.flowed else ""
        yield f"    n{edge.start} -->{label} n{edge.end}\n"


def _safe(text: str) -> str:
    """Characters that Mermaid, or the HTML and Markdown in it, would read are written as their numbers."""
    return "".join(f"#{ord(c)};" if c in _SPECIAL else c for c in escaped(text))


_SPECIAL = frozenset('"#&;<>`\\*_~$%{}|')
