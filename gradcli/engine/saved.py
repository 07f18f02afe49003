"""What autograd keeps for backward: bytes of the tensors that it saves while an evaluation is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch
from torch.autograd.graph import saved_tensors_hooks


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
    memory = {_place(one): _size(one) for one in kept}
    del result
    total = sum(memory.values())
    return Saved(total, total - sum(memory.get(place, 0) for place in {_place(one) for one in held}))


def _place(tensor: torch.Tensor) -> Any:
    """What tells one piece of memory from another; a tensor without a storage of its own is one by itself."""
    try:
        storage = tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        return id(tensor)
    return (storage.data_ptr() or id(tensor)), str(tensor.device)


def _size(tensor: torch.Tensor) -> int:
    """Bytes of the whole memory behind a tensor: all of it stays while the tensor does."""
    try:
        return tensor.untyped_storage().nbytes()
    except (NotImplementedError, RuntimeError):
        return tensor.numel() * tensor.element_size()
