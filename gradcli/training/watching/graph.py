"""What a graph says before backward runs through it: its leaves, in which order, through which operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch

MANY = 1_000  # samples, where they cannot be counted: the places of a convolution
MOST = 100_000  # nodes of a graph that are walked

# Nodes between a weight and the operation that it is a weight of, or between that and its activation.
PASSING = ("T", "Transpose", "Permute", "View", "UnsafeView", "Reshape", "ReshapeAlias", "Alias", "ToCopy", "Squeeze",
           "Unsqueeze", "Expand", "Clone", "NativeBatchNorm", "CudnnBatchNorm", "MiopenBatchNorm", "NativeLayerNorm",
           "NativeGroupNorm", "NativeDropout", "MaxPool1D", "MaxPool2DWithIndices", "AvgPool2D", "Add",
           "Slice")  # fmt: skip
# Activations with a part that is exactly flat.
GATES = {
    "Relu": "ReLU", "Threshold": "ReLU", "Hardtanh": "Hardtanh", "Hardswish": "Hardswish", "Gelu": "GELU",
    "Hardsigmoid": "Hardsigmoid", "Clamp": "clamp", "ClampMin": "clamp", "Softshrink": "Softshrink",
}  # fmt: skip
LINEAR = ("Addmm", "Mm", "Bmm", "Mv", "Addmv", "Baddbmm", "Convolution", "MkldnnConvolution", "MkldnnLinear", "Linear",
          "ConvolutionOverrideable", "MkldnnReshape")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf that backward will reach: the node that uses it, the operation behind that, the activation after it."""

    tensor: torch.Tensor
    order: int
    use: str
    gate: str | None
    rows: int  # samples that one pass sends through it, where that is known
    normed: bool = False  # batch normalization stands between it and its activation


@dataclass(slots=True)
class Walk:
    """A graph: its nodes from the last made to the first, and its leaves. To be dropped before the step ends."""

    nodes: list[Any] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    whole: bool = True

    def names(self) -> tuple[str, ...]:
        """The operations in the order in which they were recorded."""
        return tuple(kind(one) for one in reversed(self.nodes))


def kind(node: Any) -> str:
    """The operation of a node: Addmm for AddmmBackward0."""
    return _operation(node.name())


@cache
def _operation(name: str) -> str:
    name = name.rpartition("::")[2].rpartition(".")[2]
    return name.partition("Backward")[0] or name


def roots(outputs: Iterable[Any]) -> Iterator[Any]:
    """The nodes that a run of backward begins at."""
    for one in outputs:
        node = one.grad_fn if isinstance(one, torch.Tensor) else getattr(one, "node", None)
        if node is not None:
            yield node


def walk(outputs: Iterable[Any]) -> Walk:
    """The graph behind outputs of backward."""
    found = Walk()
    parents: dict[Any, list[Any]] = {}
    waiting = list(roots(outputs))
    seen = set(waiting)
    ends: list[tuple[Any, Any]] = []
    while waiting:
        node = waiting.pop()
        if len(seen) > MOST:
            found.whole = False
            break
        found.nodes.append(node)
        for following, _ in node.next_functions:
            if following is None:
                continue
            if hasattr(following, "variable"):
                ends.append((following.variable, node))
                continue
            parents.setdefault(following, []).append(node)
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    found.nodes.sort(key=lambda node: -node._sequence_nr())
    met: set[int] = set()
    for tensor, user in sorted(ends, key=lambda one: one[1]._sequence_nr()):
        if id(tensor) not in met:
            met.add(id(tensor))
            found.leaves.append(Leaf(tensor, user._sequence_nr(), *_use(user, parents, tensor.dim())))
    return found


def search(outputs: Iterable[Any], wanted: Callable[[str], bool]) -> list[Any]:
    """The nodes of a graph whose operation is wanted, from the last made to the first."""
    waiting = list(roots(outputs))
    seen = set(waiting)
    answers: dict[str, bool] = {}
    found = []
    while waiting and len(seen) < MOST:
        node = waiting.pop()
        name = node.name()
        if name not in answers:
            answers[name] = wanted(kind(node))
        if answers[name]:
            found.append(node)
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    found.sort(key=lambda node: -node._sequence_nr())
    return found


def _use(user: Any, parents: dict[Any, list[Any]], dims: int) -> tuple[str, str | None, int, bool]:
    """The operation that a leaf is a weight of, the activation that its result goes through, the samples, and whether
    what that meets is normalized.
    """
    node, use = user, kind(user)
    if dims == 1 and use == "Add":  # a bias that is added by hand
        return f"{use}Normed" if _normed(user, parents) else use, None, MANY, False
    for _ in range(4):
        if use not in PASSING or use.startswith("Native") or len(parents.get(node, ())) != 1:
            break
        node = parents[node][0]
        use = kind(node)
    if use not in LINEAR:
        return use, None, MANY, False
    if getattr(node, "_saved_transposed", False):
        return f"{use}Transposed", None, MANY, False
    normed = _normed(node, parents)
    return f"{use}Normed" if dims == 1 and normed else use, _gate(node, parents), _rows(node), normed


def _normed(node: Any, parents: dict[Any, list[Any]]) -> bool:
    """Whether batch normalization follows: it takes away whatever a bias adds, and leaves numbers of both signs."""
    for _ in range(3):
        above = parents.get(node, ())
        if len(above) != 1:
            return False
        node = above[0]
        if kind(node).endswith("BatchNorm"):
            return True
    return False


def _rows(node: Any) -> int:
    """The samples of a matrix product."""
    for name in ("_saved_mat1_sym_sizes", "_saved_self_sym_sizes"):
        sizes = getattr(node, name, None)
        if sizes is not None and len(sizes) == 2:
            return int(sizes[0])
    return MANY


def _gate(node: Any, parents: dict[Any, list[Any]]) -> str | None:
    """The activation with a flat part that a result goes through before anything else is done with it."""
    for _ in range(6):
        above = parents.get(node, ())
        if len(above) != 1:
            return None
        node = above[0]
        name = kind(node)
        if name in GATES:
            return GATES[name]
        if name not in PASSING:
            return None
    return None
