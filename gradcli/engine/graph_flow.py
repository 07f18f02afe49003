"""The gradient along every edge: one pass back through a recorded graph, with a hook on each node.

The pass leaves nothing in `.grad`, keeps what the graph saved, and takes its hooks off again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch

from gradcli.engine.failures import backward_failure
from gradcli.engine.graph import Recorded
from gradcli.engine.memory import Room, shown
from gradcli.engine.readable import readable
from gradcli.errors import GradcliError, Span
from gradcli.graphed_parts import GraphEdge

Start = tuple[torch.Tensor, torch.Tensor | None]


def with_gradients(
    recorded: Recorded, starts: Sequence[Start], memory: int | None = None, span: Span | None = None
) -> tuple[GraphEdge, ...]:
    """The edges with what flows along them when backward begins at `starts`, each a tensor and its gradient.

    Raises GradcliError of kind torch (torch's refusal, under `span`) or bounds (the gradients take too much memory).
    """
    edges = recorded.edges
    leaves = [leaf for node in recorded.live if (leaf := getattr(node, "variable", None)) is not None]
    if not starts or not leaves:
        return edges
    _admit(edges, Room(memory))
    found: dict[tuple[int, int], torch.Tensor] = {}
    hooks = [
        node.register_hook(_noting(found, index))
        for index, node in enumerate(recorded.live)
        if getattr(node, "variable", None) is None
    ]
    outputs, vectors = [one for one, _ in starts], [vector for _, vector in starts]
    try:
        torch.autograd.grad(outputs, leaves, vectors, retain_graph=True, allow_unused=True)
    except Exception as error:
        raise backward_failure(error, span or Span(0, 0)) from error
    finally:
        for hook in hooks:
            hook.remove()
    return tuple(edge._replace(gradient=found.get((edge.start, edge.argument))) for edge in edges)


def _noting(found: dict[tuple[int, int], torch.Tensor], index: int) -> Callable[[Any, Any], None]:
    def note(sent: Sequence[torch.Tensor | None], _arrived: Any) -> None:
        for argument, gradient in enumerate(sent):
            if gradient is not None:
                found[index, argument] = readable(gradient.detach())

    return note


def _admit(edges: tuple[GraphEdge, ...], room: Room) -> None:
    """Refuse before the pass what would not fit: every gradient is kept until the answer is told."""
    needed = sum(prod(edge.shape) * _sizes(edge.dtype) for edge in edges if edge.shape is not None)
    left = room.budget.left()
    if needed > left:
        raise GradcliError(
            "bounds", f"the gradients of {len(edges):,} edges take {shown(needed)}, and {shown(max(left, 0))} may be "
            "taken", hint="leave out --values, or set --max-memory",
        )  # fmt: skip


def _sizes(dtype: str | None) -> int:
    return getattr(torch, dtype).itemsize if dtype else 1
