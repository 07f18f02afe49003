"""What autograd recorded for an expression, frozen: the nodes and edges of its graph, and their totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gradcli.graphed_parts import GraphEdge, GraphNode
from gradcli.numerals import bytes_text
from gradcli.report import Column, Notes, Report, Table
from gradcli.results import SCHEMA, Note, Result, TensorView

DIGITS = 4  # of gradients in drawings and tables; json and csv have all
MOST = 60  # nodes that a terminal is shown without -v; other formats have all


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Graph(Result):
    """The answer of `graph`. `roots` has for each output the node that recorded it, None where none did."""

    expression: str
    title: str
    mode: str
    inputs: Mapping[str, TensorView]
    outputs: tuple[TensorView, ...]
    roots: tuple[int | None, ...]
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    flowed: bool
    notes: tuple[Note, ...]
    command: str = "graph"

    @property
    def saved_bytes(self) -> int:
        """The memory that saved tensors hold, what several of them share counted once."""
        return sum(one.counted for node in self.nodes for one in node.saved)

    @property
    def depth(self) -> int:
        """Nodes on the longest way back."""
        return max((node.depth for node in self.nodes), default=0)

    @property
    def saved_tensors(self) -> int:
        """Tensors kept for backward; those that share the memory of an earlier one, and freed ones, are left out."""
        left_out = {"number", "freed"}
        return sum(one.state not in left_out and one.same is None for node in self.nodes for one in node.saved)

    def ways(self) -> list[list[GraphEdge]]:
        """For each node the edges that leave it, in the order of its operands."""
        found: list[list[GraphEdge]] = [[] for _ in self.nodes]
        for edge in self.edges:
            found[edge.start].append(edge)
        return found

    def totals(self) -> str:
        """One line that counts the graph."""
        counts = ((len(self.nodes), "node"), (len(self.edges), "edge"))
        parts = [f"{count:,} {what}{'' if count == 1 else 's'}" for count, what in counts]
        tensors = self.saved_tensors
        saved = f"{tensors:,} tensor{'' if tensors == 1 else 's'} saved, {bytes_text(self.saved_bytes)}"
        return " · ".join([*parts, f"depth {self.depth:,}", saved]) if self.nodes else "nothing was recorded"

    def document(self) -> dict[str, Any]:
        """The JSON object, with tensors where their numbers will stand."""
        outputs = [one.facts() for one in self.outputs]
        return {
            "schema": SCHEMA, "command": "graph", "status": "ok", "expression": self.expression, "mode": self.mode,
            "inputs": [one.facts() for one in self.inputs.values()],
            **({"output": outputs[0]} if len(outputs) == 1 else {"outputs": outputs}),
            "roots": list(self.roots), "nodes": [node.facts() for node in self.nodes],
            "edges": [edge.facts(self.flowed) for edge in self.edges],
            "totals": {
                "nodes": len(self.nodes), "edges": len(self.edges), "depth": self.depth,
                "saved_tensors": self.saved_tensors, "saved_bytes": self.saved_bytes,
            },
            "notes": [note.to_dict() for note in self.notes],
        }  # fmt: skip

    def report(self) -> Report:
        """A row a node, a row an edge where gradients were asked for, then the totals."""
        ways = self.ways()

        def rows() -> Iterable[tuple[Any, ...]]:
            for node in self.nodes:
                kept = sum(one.counted for one in node.saved)
                saved = " ".join(one.name for one in node.saved)
                following = " ".join(str(edge.end) for edge in ways[node.number])
                yield str(node.number), node.name, node.input or node.source or "", saved, kept, following

        columns = (
            Column("node"), Column("name"), Column("expression"), Column("saved"), Column("bytes", True), Column("next")
        )  # fmt: skip
        tables = (Table(columns, rows, most=MOST), *self._flows())
        counted = Note(None, "info", self.totals())  # below a table as notes are, and not among the rows of csv
        return Report(self.title, (*tables, Notes((counted, *self.notes), self.expression)))

    def _flows(self) -> tuple[Table, ...]:
        """A row an edge, where gradients were asked for."""

        def rows() -> Iterable[tuple[Any, ...]]:
            for one in self.edges:
                yield str(one.start), str(one.end), str(one.argument), one.gradient

        columns = (Column("from"), Column("to"), Column("argument"), Column("gradient", True, DIGITS))
        return (Table(columns, rows, most=MOST),) if self.flowed else ()

    def __str__(self) -> str:
        from gradcli.render import Style, tree

        return "".join(tree.pieces(self, Style()))
