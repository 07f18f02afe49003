"""What a node keeps for backward: its saved tensors, read without unpacking them, and the memory they hold.

Reading an attribute such as `_saved_self` raises where backward has freed it or a later step has written to it, and
calls the caller's own hooks where those packed it. The raw saved variable behind it tells its tensor in any case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import torch

from gradcli.engine.graph_memory import Memory
from gradcli.engine.inputs import dtype_name
from gradcli.graphed_parts import Saved

_RAW = "_raw_saved_"
_PUBLIC = {"_raw_saved_tensors": "saved_tensors"}  # of a custom Function


class Keeper:
    """Reads node after node, and remembers whose memory has been counted."""

    def __init__(self, called: Mapping[int, str], leaves: list[torch.Tensor | None]) -> None:
        self._memory = Memory()
        self._inputs: dict[Any, str] = {}
        for leaf in leaves:
            if leaf is not None and (place := _place(leaf)) is not None:
                self._inputs[place] = called[id(leaf)]

    def saved(self, index: int, node: Any) -> Iterator[Saved]:
        """What one node keeps, in the order of its attributes."""
        for attribute in _attributes(node.__class__):
            public = _PUBLIC.get(attribute, attribute.removeprefix("_raw"))
            name = public.removeprefix("_saved_")
            try:
                raw = getattr(node, attribute)
            except RuntimeError:  # a custom Function whose tensors are gone does not even list them
                yield Saved(name, "freed")
                continue
            if not isinstance(raw, (tuple, list)):
                yield from self._one(index, node, raw, name, public, None)
                continue
            for position, one in enumerate(raw):
                yield from self._one(index, node, one, f"{name}[{position}]", public, position)

    def _one(self, index: int, node: Any, raw: Any, name: str, public: str, position: int | None) -> Iterator[Saved]:
        if raw is None:
            return
        tensor = raw.data
        if raw.unpack_hook is not None:
            yield Saved(name, "packed")
            return
        if tensor is None:
            if not _readable(node, public):
                yield Saved(name, "freed")
            return
        if tensor.is_nested:  # it has no shape, and its memory no places
            yield Saved(name, "kept", None, dtype_name(tensor.dtype))
            return
        shape, dtype = tuple(tensor.shape), dtype_name(tensor.dtype)
        if _written(tensor):
            yield Saved(name, "number", shape, dtype, number=tensor.item())
            return
        state = "kept" if _readable(node, public) or not _modified(raw, position) else "changed"
        size, counted, same = self._memory.claim(tensor, index, name)
        of = self._inputs.get(_place(tensor))
        yield Saved(name, state, shape, dtype, size, counted, of=of, same=same)


@cache
def _attributes(kind: type) -> tuple[str, ...]:
    return tuple(name for name in dir(kind) if name.startswith(_RAW))


def _readable(node: Any, public: str) -> bool:
    """Whether torch hands out what it saved; it does not after backward, or where that was written to."""
    try:
        getattr(node, public)
    except RuntimeError:
        return False
    return True


def _modified(raw: Any, position: int | None) -> bool:
    """Whether this one cannot be read, of several under one attribute; of one alone that is known already."""
    if position is None:
        return True
    try:
        raw.unpack()
    except RuntimeError as error:
        return "modified by an inplace operation" in str(error)
    return False


def _written(tensor: torch.Tensor) -> bool:
    """Whether this is a number of the text that torch wrapped: it does not decide the dtype of what it meets."""
    if tensor.dim() or tensor.layout != torch.strided or tensor.is_meta:
        return False
    if tensor.dtype not in _WRAPPED:
        return False
    return torch.result_type(tensor, torch.zeros((), dtype=_WRAPPED[tensor.dtype])) != tensor.dtype


# The dtypes of wrapped numbers, and for each a smaller one of its kind, that a real tensor would win over.
_WRAPPED = {
    torch.int64: torch.int8, torch.float64: torch.float16, torch.complex128: torch.complex64,
}  # fmt: skip


def _place(tensor: torch.Tensor) -> tuple[Any, ...] | None:
    """Where the elements of a tensor are, and how they are read; None where torch does not tell."""
    if tensor.layout != torch.strided or tensor.is_nested:
        return None
    try:
        storage = tensor.untyped_storage()
    except (RuntimeError, NotImplementedError):
        return None
    return storage.data_ptr() or storage._cdata, tensor.storage_offset(), tuple(tensor.shape), tensor.stride()
