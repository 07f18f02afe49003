"""A graph in Graphviz's language, for `dot` and everything that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.graphed import Graph
from gradcli.render import Style, captions, escaped


def pieces(result: Any, style: Style) -> Iterator[str]:
    """The digraph, a line a node and a line an edge, from the outputs down."""
    graph: Graph = result
    yield "digraph autograd {\n"
    yield f"    label={_quoted(graph.title)};\n" if graph.title else ""
    yield '    node [shape=box, fontname="monospace", fontsize=10];\n'
    yield '    edge [fontname="monospace", fontsize=9];\n'
    for node in graph.nodes:
        look = ", style=rounded" if node.input else ""
        yield f"    n{node.number} [label={_quoted(*captions.inside(node))}{look}];\n"
    for edge in graph.edges:
        label = f" [label={_quoted(captions.flow(edge, style))}]" if graph.flowed else ""
        yield f"    n{edge.start} -> n{edge.end}{label};\n"
    yield "}\n"


def _quoted(*lines: str) -> str:
    """Lines as a label: Graphviz reads escapes and entities in it, so that its own signs are escaped."""
    return '"' + "\\n".join(map(_safe, lines)) + '"'


def _safe(text: str) -> str:
    return escaped(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
