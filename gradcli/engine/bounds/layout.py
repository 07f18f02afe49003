"""How many elements a step hands on that moves, joins or repeats the elements of tensors."""

from __future__ import annotations

import math

from gradcli.engine.bounds.operands import Operands, Rule, integers, largest, same, spread, total


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
    return int(r * same(given) ** r)


NAMES: dict[str, Rule] = {
    **dict.fromkeys(("expand", "broadcast_to", "expand_copy"), _expanded),
    **dict.fromkeys(("repeat", "tile"), _repeated),
    **dict.fromkeys(("unfold", "unfold_copy"), _windows),
    **dict.fromkeys(("diag_embed", "diagflat", "diag"), _diagonal),
    **dict.fromkeys(("meshgrid", "cartesian_prod"), _grid),
    **dict.fromkeys(("atleast_1d", "atleast_2d", "atleast_3d"), total),
    "block_diag": _blocks, "broadcast_tensors": _together, "field": largest, "len": largest,
    "store": largest, "combinations": _combinations, "expand_as": spread,
}  # fmt: skip
FAMILIES: dict[str, Rule] = {
    "shape": largest, "joining": total, "attributes": largest, "conversion": same, "inspection": largest,
}  # fmt: skip
