"""How many elements the results of a step have, and how wide they are: the rule of its row, of its family, or none."""

from __future__ import annotations

from typing import Any

import torch

from gradcli.engine.bounds import algebra, creation, layers, layout, picking, reductions, signals, windows
from gradcli.engine.bounds.operands import UNFIT, Operands, Rule, largest, product, spread


def _lost(given: Operands) -> int:
    """A loss: one number, or one for each element."""
    return spread(given) if given.get("reduction", default="mean") in {"none", 0} else 1


def _twice(given: Operands) -> int:
    return 2 * spread(given)


_ROOMS = (creation, reductions, layout, picking, algebra, windows, signals, layers)
_NAMES: dict[str, Rule] = {name: rule for room in _ROOMS for name, rule in room.NAMES.items()} | {
    "frexp": _twice, "native_dropout": _twice, "isin": largest, "equal": algebra.one, "allclose": algebra.one,
}  # fmt: skip
_FAMILIES: dict[str, Rule] = {name: rule for room in _ROOMS for name, rule in room.FAMILIES.items()} | {
    "losses": _lost, "activations": spread, "dropout": largest, "complex": spread,
}  # fmt: skip


def elements(given: Operands) -> tuple[int, bool]:
    """The elements of a step's results, at most, and whether a rule tells; the product of its operands otherwise."""
    function = given.step.function
    rule = _NAMES.get(given.name) or (spread if function.pointwise else _FAMILIES.get(function.family))
    try:
        found = rule(given) if rule else None
    except UNFIT:
        found = None
    if found is not None:
        return max(found, 0), True
    return product(given.values) ** (2 if function.grows else 1), False


# Rows of these names and families give whole numbers of eight bytes, or truth values of one.
_WHOLE = frozenset(
    "argmax argmin argsort sort topk kthvalue mode median nanmedian max min cummax cummin searchsorted bucketize "
    "nonzero nonzero_static argwhere unique unique_consecutive bincount count_nonzero one_hot randint randperm "
    "tril_indices triu_indices unravel_index multinomial masked.argmax masked.argmin masked.median".split()
)
_CONVERTED = {
    "double": 8, "cfloat": 8, "cdouble": 16, "long": 8, "half": 2, "bfloat16": 2, "bool": 1, "byte": 1, "char": 1,
    "float": 4, "int": 4, "short": 2, "chalf": 4,
}  # fmt: skip
_SUMMING = frozenset({"scans", "reductions"})
_COMPLEX = frozenset({"complex", "polar", "eig", "eigvals", "view_as_complex"})


def itemsize(given: Operands) -> int:
    """Bytes of the widest element of the results."""
    asked: Any = next((one for one in given.values if isinstance(one, torch.dtype)), None)
    if asked is not None:
        return int(asked.itemsize)
    function, name = given.step.function, given.name
    if name in _CONVERTED:
        return _CONVERTED[name]
    if function.family == "comparison" and not function.writes and not name.startswith("bitwise"):
        return 1
    size = max((one.element_size() for one in given.tensors), default=4)
    real = not any(one.is_complex() for one in given.tensors)
    if name in _COMPLEX or (function.family == "fft" and not name.startswith(("irfft", "hfft", "istft"))):
        return 2 * size if real else size
    if name in _WHOLE or "max_pool" in name:
        return max(size, 8)
    if real and not any(one.is_floating_point() for one in given.tensors):
        makes = function.makes == "numbers" and not any(isinstance(one, float) for one in given.values)
        return 8 if function.family in _SUMMING or makes else max(size, 4)
    return size
