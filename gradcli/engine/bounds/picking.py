"""How many elements are picked from a tensor, by index, mask or table, and how often each is repeated."""

from __future__ import annotations

import math
from typing import Any

import torch

from gradcli.engine.bounds.operands import Operands, Rule, broadcast, integers, kept, largest, same, spread


def _repeats(given: Operands) -> int:
    """repeat_interleave: so often each element, or each slice along a dimension."""
    repeats = given.get("repeats")
    if repeats is None or repeats is given.first:  # repeat_interleave(repeats) gives indices
        return int(given.first.sum()) if not given.first.is_complex() else 0
    dims = list(integers([given.get("dim")]))
    slices = given.first.shape[dims[0]] if dims and given.first.dim() else same(given)
    if not isinstance(repeats, torch.Tensor):
        return int(repeats) * same(given)
    times = int(repeats.sum()) * (slices if repeats.numel() == 1 else 1)
    return times * (same(given) // max(slices, 1))


def _slices(given: Operands) -> int:
    """index_select: a slice for each place of the index."""
    return kept(given.first, [given.whole("dim", default=0)]) * _picked(given)


def _picked(given: Operands) -> int:
    index = given.get("index", "indices")
    return int(index.numel()) if isinstance(index, torch.Tensor) else 1


def _along(given: Operands) -> int:
    """take_along_dim: the index, spread over the other dimensions of the tensor."""
    index, dim = given.get("indices"), given.get("dim")
    if not isinstance(dim, int):
        return _picked(given)
    shape = list(given.first.shape)
    shape[dim] = 1
    sizes = list(index.shape)
    along, sizes[dim] = sizes[dim], 1
    return int(math.prod(broadcast([shape, sizes]) or (largest(given),)) * along)


def _found(given: Operands) -> int:
    """nonzero: a row of indices for each element that is not zero."""
    size = given.get("size")
    return (size if isinstance(size, int) else same(given)) * max(given.first.dim(), 1)


def _unravelled(given: Operands) -> int:
    return same(given) * max(len(list(integers([given.get("shape")]))), 1)


def _embedded(given: Operands) -> int:
    """A row of the table for each index; embedding_bag a row for each bag at most, and where each index went."""
    table, index = sorted(given.tensors[:2], key=lambda one: one.is_floating_point(), reverse=True)
    return index.numel() * table.shape[-1] + (index.numel() if given.name == "embedding_bag" else 0)


def _classes(given: Operands) -> int:
    """one_hot is as wide as the largest value, or as a number says."""
    values, wide = given.first, given.whole("num_classes", default=-1)
    most = int(values.max()) + 1 if wide < 0 and values.numel() and not values.is_complex() else wide
    return max(most, 1) * same(given)


def _indexed(given: Operands) -> int:
    """A[i, 1:, mask]: what the slices leave, times the places that lists and tensors pick together."""
    base, index = given.args[0], given.args[1]
    if not isinstance(base, torch.Tensor):
        return 1
    sizes, picked = list(base.shape), [()]
    consumed = sum(_consumes(one) for one in (index if isinstance(index, tuple) else (index,)))
    left: list[int] = []
    for one in index if isinstance(index, tuple) else (index,):
        if one is None:
            left.append(1)
        elif one is ...:
            kept_whole = max(len(sizes) - consumed, 0)
            left += sizes[:kept_whole]
            del sizes[:kept_whole]
        elif isinstance(one, slice):
            left.append(_length(one, sizes.pop(0)))
            consumed -= 1
        else:
            places = _consumes(one)
            picked.append(_places(one))  # type: ignore[arg-type]
            del sizes[:places]
            consumed -= places
    together = broadcast(picked)
    return math.prod([*left, *sizes]) * math.prod(together if together is not None else (1,))


def _consumes(one: Any) -> int:
    """How many dimensions of a tensor an index stands for."""
    if one is None or one is ... or isinstance(one, bool):
        return 0
    return one.dim() if isinstance(one, torch.Tensor) and one.dtype in (torch.bool, torch.uint8) else 1


def _length(one: slice, size: int) -> int:
    return len(
        range(
            *slice(*(int(part) if part is not None else None for part in (one.start, one.stop, one.step))).indices(size)
        )
    )


def _places(one: Any) -> tuple[int, ...]:
    """The shape that an index picks: none for a number, at most all places for a mask."""
    if isinstance(one, torch.Tensor):
        return (one.numel(),) if _consumes(one) != 1 or one.dtype in (torch.bool, torch.uint8) else tuple(one.shape)
    shape: list[int] = []
    while isinstance(one, (list, tuple)):
        shape.append(len(one))
        one = one[0] if one else None
    return tuple(shape)


NAMES: dict[str, Rule] = {
    **dict.fromkeys(("gather", "take"), _picked),
    **dict.fromkeys(("masked_select", "masked_fill", "masked_scatter", "where"), spread),
    **dict.fromkeys(("nonzero", "nonzero_static", "argwhere"), _found),
    **dict.fromkeys(("embedding", "embedding_bag"), _embedded),
    "embedding_renorm": same, "index_select": _slices,
    "take_along_dim": _along, "unravel_index": _unravelled, "one_hot": _classes,
    "repeat_interleave": _repeats, "index": _indexed,
}  # fmt: skip
FAMILIES: dict[str, Rule] = {"indexing": same}
