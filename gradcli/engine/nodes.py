"""Nodes of the graph that autograd recorded: that of a tensor, its name, and all that backward can come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch
from torch.autograd.graph import Node


def node_of(tensor: torch.Tensor) -> Node | None:
    """The node that made a tensor; None of a view that was written to where gradients are off: torch refuses to say."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def node_name(node: Node) -> str:
    """What torch calls a node, such as MulBackward0."""
    return node.name().removeprefix("torch::autograd::")


def name_of(node: Node | None) -> str | None:
    """The name of a node, None of none."""
    return node_name(node) if node is not None else None


def nodes(results: Iterable[torch.Tensor]) -> Iterator[Node]:
    """Every node behind these tensors, once, those of the last operations first; without recursion."""
    stack = [one.grad_fn for one in results]
    seen: set[Node] = set()
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen.add(node)
            yield node
            stack += [following for following, _ in node.next_functions]
