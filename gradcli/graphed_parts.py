"""The parts of a graph that autograd recorded: a node, a tensor that it saved, an edge in the direction of backward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.errors import Span
from gradcli.numerals import json_number

if TYPE_CHECKING:
    import torch


class Shared(NamedTuple):
    """The saved tensor that was counted first where several share memory: its node and its name there."""

    node: int
    name: str


class Saved(NamedTuple):
    """What a node keeps for backward, under torch's name for it.

    `state`: `kept`; `number` (of the text, such as the 5 in A*5); `freed` by a backward pass; `changed` in place since,
    so that backward will refuse; `packed` by a hook of the caller's. `bytes`: the memory of its elements; `counted`:
    what of it was not counted at an earlier node. `of`: the input whose own memory it is. `same`: where all of it was
    counted before.
    """

    name: str
    state: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    bytes: int = 0
    counted: int = 0
    number: Any = None
    of: str | None = None
    same: Shared | None = None

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        same = {"node": self.same.node, "name": self.same.name} if self.same else None
        return {
            "name": self.name, "state": self.state, "shape": None if self.shape is None else list(self.shape),
            "dtype": self.dtype, "bytes": self.bytes, "counted": self.counted,
            "number": json_number(self.number), "of": self.of, "same": same,
        }  # fmt: skip


class GraphNode(NamedTuple):
    """A node: torch's name of it, the text that recorded it, and for AccumulateGrad the input that it feeds.

    `source` has its middle left out where it is long; `span` tells where the whole stands.

    `shape` and `dtype` are those of the result that it was recorded for, None where that had several. `depth`: nodes
    on the longest way to it from an output, itself counted.
    """

    number: int
    name: str
    source: str | None
    span: Span | None
    input: str | None
    shape: tuple[int, ...] | None
    dtype: str | None
    depth: int
    saved: tuple[Saved, ...]

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        return {
            "id": self.number, "name": self.name, "source": self.source, "span": list(self.span) if self.span else None,
            "input": self.input, "shape": None if self.shape is None else list(self.shape), "dtype": self.dtype,
            "depth": self.depth, "saved": [one.facts() for one in self.saved],
        }  # fmt: skip


class GraphEdge(NamedTuple):
    """A way that a gradient takes: from a node to the one that made its operand.

    `argument` counts the operands of the node, `result` the results of the one it goes to. `gradient` is what flowed,
    where that was asked for.
    """

    start: int
    end: int
    argument: int
    result: int
    shape: tuple[int, ...] | None
    dtype: str | None
    gradient: torch.Tensor | None = None

    def __eq__(self, other: object) -> bool:
        return self is other  # tensors do not say yes or no

    def __hash__(self) -> int:
        return id(self)

    def facts(self, flowed: bool) -> dict[str, Any]:
        """The object of the JSON format."""
        return {
            "from": self.start, "to": self.end, "argument": self.argument, "result": self.result,
            "shape": None if self.shape is None else list(self.shape), "dtype": self.dtype,
            **({"gradient": self.gradient} if flowed else {}),
        }  # fmt: skip
