"""Memory of tensors, each byte counted once: what a tensor adds to those counted before it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import prod
from typing import Any

import torch

from gradcli.graphed_parts import Shared

Storage = torch.UntypedStorage
Stretch = tuple[int, int]


class Memory:
    """The stretches of each storage that are counted, and who was first there."""

    def __init__(self) -> None:
        self._stretches: dict[Any, list[Stretch]] = {}
        self._first: dict[Any, Shared] = {}
        self._held: list[Storage] = []  # while these live, no address is used twice

    def claim(self, tensor: torch.Tensor, node: int, name: str) -> tuple[int, int, Shared | None]:
        """The bytes of a tensor, how many of them nobody counted yet, and where that is none, who did.

        Elements that an expanded tensor repeats are there once.
        """
        own = Shared(node, name)
        added, whole, first = 0, 0, None
        for part in _parts(tensor):
            new, size, owner = self._part(part, own)
            added, whole, first = added + new, whole + size, first or owner
        return whole, added, None if added else first

    def _part(self, part: torch.Tensor, own: Shared) -> tuple[int, int, Shared | None]:
        try:
            storage = part.untyped_storage()
        except (RuntimeError, NotImplementedError):  # a tensor of other tensors, which has no memory of its own
            return part.nbytes, part.nbytes, None
        self._held.append(storage)
        key = storage.data_ptr() or storage._cdata
        size = part.element_size()
        axes = [(count, stride) for count, stride in zip(part.shape, part.stride(), strict=True) if stride]
        if part.numel() == 0:
            return 0, 0, None
        start = int(part.storage_offset()) * size
        stop = start + (sum((count - 1) * stride for count, stride in axes) + 1) * size
        bytes_ = min(prod(count for count, _ in axes) * size, stop - start)
        dense = stop - start == bytes_
        place = (key, start, stop, tuple(axes))
        known = self._first.get(place)
        if known is not None:
            return 0, bytes_, known
        stretches = self._stretches.setdefault(key, [])
        new = min(bytes_, stop - start - _covered(stretches, start, stop))
        owner = None if new else self._first.get((key, "storage"))
        if dense:
            _cover(stretches, start, stop)
        self._first.setdefault((key, "storage"), own)
        self._first[place] = owner or own
        return new, bytes_, owner


def _parts(tensor: torch.Tensor) -> list[torch.Tensor]:
    """The dense tensors that a tensor is made of."""
    if tensor.layout == torch.strided:
        return [tensor]
    if tensor.layout == torch.sparse_coo:
        return [tensor._indices(), tensor._values()]
    if tensor.layout in {torch.sparse_csr, torch.sparse_bsr}:
        return [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    if tensor.layout in {torch.sparse_csc, torch.sparse_bsc}:
        return [tensor.ccol_indices(), tensor.row_indices(), tensor.values()]
    return []


def _covered(stretches: list[Stretch], start: int, stop: int) -> int:
    """Bytes of start:stop that lie in stretches, which are in order and apart."""
    total = 0
    for left, right in stretches[max(bisect_left(stretches, (start, 0)) - 1, 0) : bisect_right(stretches, (stop, 0))]:
        total += max(min(right, stop) - max(left, start), 0)
    return total


def _cover(stretches: list[Stretch], start: int, stop: int) -> None:
    """Add start:stop to the stretches, joining those that it touches."""
    first = bisect_left(stretches, (start, 0))
    if first and stretches[first - 1][1] >= start:
        first -= 1
    last = bisect_right(stretches, (stop, stop + 1 << 62))
    touched = stretches[first:last]
    if touched:
        start, stop = min(start, touched[0][0]), max(stop, touched[-1][1])
    stretches[first:last] = [(start, stop)]
