"""What autograd keeps for backward: bytes of the tensors that it saves while an evaluation is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch
from torch.autograd.graph import saved_tensors_hooks

from gradcli.engine.graph_memory import Memory


class Saved(NamedTuple):
    """Bytes that are kept for backward, and those of them that are not memory of the inputs, which is held anyway."""

    total: int
    beside: int


def saved_bytes(evaluate: Callable[[], Any], held: Iterable[torch.Tensor] = ()) -> Saved:
    """What an evaluation saves for backward; memory that several saved tensors share counts once.

    `held`: tensors whose memory is there anyway.
    """
    kept: list[torch.Tensor] = []  # all of them until the end: memory that was let go could be counted as the same

    def pack(tensor: torch.Tensor) -> int:
        kept.append(tensor.detach())
        return len(kept) - 1

    with saved_tensors_hooks(pack, kept.__getitem__):
        result = evaluate()
    del result
    return Saved(_added(kept, ()), _added(kept, held))


def _added(tensors: Iterable[torch.Tensor], held: Iterable[torch.Tensor]) -> int:
    """The bytes of these tensors, each once, beside those of other ones."""
    memory = Memory()
    for one in held:
        memory.claim(one, 0, "")
    return sum(memory.claim(one, 0, "")[1] for one in tensors)
