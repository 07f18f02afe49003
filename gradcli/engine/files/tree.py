"""The tensors in nested dicts and lists, each under its keys joined by dots: `model.layer.weight`, `state.0.step`."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import torch

from gradcli.engine.files.choosing import described

_VISITED = 100_000  # places that are looked at: lists can hold one another many times over
_DEEPEST = 32


@dataclass(frozen=True, eq=False, slots=True)
class Leaf:
    """A tensor and the keys that lead to it."""

    tensor: torch.Tensor
    keys: tuple[str | int, ...]

    def __str__(self) -> str:
        return described(str(self.tensor.dtype).removeprefix("torch."), self.tensor.shape)

    @property
    def code(self) -> str:
        """The keys as they are written after a name: ['layer.weight'][0]."""
        return "".join(f"[{key!r}]" for key in self.keys)


def leaves(tree: Any) -> dict[str, Leaf]:
    """All tensors; of two under one dotted name, the one less deep."""
    found: dict[str, Leaf] = {}
    waiting: deque[tuple[tuple[str | int, ...], Any, tuple[int, ...]]] = deque([((), tree, ())])
    for _ in range(_VISITED):
        if not waiting:
            break
        keys, node, above = waiting.popleft()
        if isinstance(node, torch.Tensor):
            found.setdefault(".".join(map(str, keys)), Leaf(node, keys))
        elif len(keys) < _DEEPEST and len(waiting) < _VISITED and id(node) not in above:  # else it holds itself
            waiting += [((*keys, key), one, (*above, id(node))) for key, one in _children(node)]
    return found


def _children(node: Any) -> list[tuple[str | int, Any]]:
    if isinstance(node, dict):
        return [(key, one) for key, one in node.items() if isinstance(key, (str, int))]
    return list(enumerate(node)) if isinstance(node, (list, tuple)) else []
