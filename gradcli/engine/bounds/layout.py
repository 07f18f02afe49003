"""How many elements a step hands on that moves, joins, repeats or picks elements; which steps give views instead."""

from __future__ import annotations

import math
import re
from typing import Any

import torch

from gradcli.engine.bounds.operands import Operands, Rule, broadcast, integers, kept, largest, same, spread, total


def _expanded(given: Operands) -> int:
    """-1 keeps a size, counted from the last dimension."""
    sizes = list(integers([given.get("size", default=())]))
    shape = [1] * (len(sizes) - given.first.dim()) + list(given.first.shape)
    return math.prod(shape[place] if size < 0 else size for place, size in enumerate(sizes))


def _repeated(given: Operands) -> int:
    return same(given) * math.prod(max(one, 0) for one in integers([given.get("repeats", "dims", default=())]))


def _windows(given: Operands) -> int:
    """unfold(dim, size, step): as many windows as fit, each of `size` elements."""
    length = given.first.shape[given.whole("dimension", default=0)] if given.first.dim() else 1
    size, step = given.whole("size", default=1), max(given.whole("step", default=1), 1)
    return same(given) // max(length, 1) * size * (max(length - size, 0) // step + 1)


def _diagonal(given: Operands) -> int:
    """A square beside each vector; of a matrix, what stands on its diagonal."""
    first, offset = given.first, abs(given.whole("offset", "diagonal", default=0))
    if given.name == "diag" and first.dim() > 1:
        return min(first.shape)
    vector = same(given) if given.name in {"diag", "diagflat"} or not first.dim() else first.shape[-1]
    return same(given) // max(vector, 1) * (vector + offset) ** 2


def _grid(given: Operands) -> int:
    """Every combination of one element of each tensor, once for each tensor."""
    return len(given.tensors) * math.prod(one.numel() for one in given.tensors)


def _blocks(given: Operands) -> int:
    rows = sum(one.shape[-2] if one.dim() > 1 else 1 for one in given.tensors)
    return rows * sum(one.shape[-1] if one.dim() else 1 for one in given.tensors)


def _together(given: Operands) -> int:
    return len(given.tensors) * spread(given)


def _combinations(given: Operands) -> int:
    """A grid of n**r choices is made before it is masked."""
    r = min(max(given.whole("r", default=2), 0), 16)
    return r * int(same(given)) ** r


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
    index = given.get("index", "indices")
    count = index.numel() if isinstance(index, torch.Tensor) else 1
    return kept(given.first, [given.whole("dim", default=0)]) * count


def _picked(given: Operands) -> int:
    index = given.get("index", "indices")
    return index.numel() if isinstance(index, torch.Tensor) else 1


def _along(given: Operands) -> int:
    """take_along_dim: the index, spread over the other dimensions of the tensor."""
    index, dim = given.get("indices"), given.get("dim")
    if not isinstance(dim, int):
        return _picked(given)
    shape = list(given.first.shape)
    shape[dim] = 1
    sizes = list(index.shape)
    along, sizes[dim] = sizes[dim], 1
    return math.prod(broadcast([shape, sizes]) or (largest(given),)) * along


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
    **dict.fromkeys(("expand", "broadcast_to", "expand_copy"), _expanded),
    **dict.fromkeys(("repeat", "tile"), _repeated),
    **dict.fromkeys(("unfold", "unfold_copy"), _windows),
    **dict.fromkeys(("diag_embed", "diagflat", "diag"), _diagonal),
    **dict.fromkeys(("meshgrid", "cartesian_prod"), _grid),
    **dict.fromkeys(("index_select",), _slices),
    **dict.fromkeys(("gather", "take"), _picked),
    **dict.fromkeys(("masked_select", "masked_fill", "masked_scatter", "where", "expand_as"), spread),
    **dict.fromkeys(("nonzero", "nonzero_static", "argwhere"), _found),
    **dict.fromkeys(("embedding", "embedding_bag"), _embedded),
    "block_diag": _blocks, "broadcast_tensors": _together,
    "atleast_1d": total, "atleast_2d": total, "atleast_3d": total, "combinations": _combinations,
    "repeat_interleave": _repeats,
    "take_along_dim": _along, "unravel_index": _unravelled, "one_hot": _classes, "index": _indexed,
}  # fmt: skip
FAMILIES: dict[str, Rule] = {
    "shape": largest, "joining": total, "indexing": same, "attributes": largest, "conversion": same,
    "inspection": largest,
}  # fmt: skip

# Rows of these families give views of their operand, unless their name says that they copy.
_VIEWS = frozenset({"shape", "attributes"})
_VIEWING = frozenset(
    "detach detach_ requires_grad_ cpu real imag conj resolve_conj view_as_real view_as_complex broadcast_tensors "
    "meshgrid store field len".split()
)
_COPYING = re.compile(r"repeat|tile|flip|roll|rot90|tril|triu|diag_embed|diagflat|^diag$|_copy$")
_FLAT = frozenset({"reshape", "reshape_as", "flatten", "ravel", "contiguous"})


def gives_view(given: Operands) -> bool:
    """Whether a step allocates nothing for its result: a view, or its operand itself."""
    function = given.step.function
    if function.writes or function.family == "inspection":
        return True
    if given.name in _FLAT:
        return given.first.is_contiguous()
    if given.name == "index":
        index = given.args[1] if isinstance(given.args[1], tuple) else (given.args[1],)
        return not any(isinstance(one, (list, tuple, torch.Tensor)) for one in index)
    return given.name in _VIEWING or (function.family in _VIEWS and not _COPYING.search(given.name))


# Rows that give many tensors, and how many.
def pieces(given: Operands) -> int:
    """How many tensors a step gives, where its operands tell."""
    count = _PIECES.get(given.name)
    return count(given) if count else 1


def _one_each(given: Operands) -> int:
    return given.first.shape[given.whole("dim", default=0)] if given.first.dim() else 1


def _split(given: Operands) -> int:
    size = given.get("split_size", "split_size_or_sections", "split_sizes", "split_size", default=1)
    return math.ceil(_one_each(given) / max(size, 1)) if isinstance(size, int) else len(size)


def _sections(given: Operands) -> int:
    where = given.get("chunks", "sections", "indices", "tensor_indices_or_sections", default=1)
    where = where[0] if isinstance(where, list) and len(where) == 1 else where
    if isinstance(where, torch.Tensor):
        return where.numel() + 1 if where.dim() else int(where)
    return where if isinstance(where, int) else len(where) + 1


_PIECES = {
    **dict.fromkeys(("unbind", "unbind_copy"), _one_each),
    **dict.fromkeys(("split", "unsafe_split", "split_copy", "split_with_sizes", "unsafe_split_with_sizes",
                     "split_with_sizes_copy"), _split),
    **dict.fromkeys(("chunk", "unsafe_chunk", "tensor_split", "hsplit", "vsplit", "dsplit"), _sections),
}  # fmt: skip
