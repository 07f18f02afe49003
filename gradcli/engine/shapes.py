"""How many elements a step's result can have at most, from its operands alone, in plain Python.

One rule for a kind of row; a rule is exact where it can be. What no rule knows is the product of the operands' element
counts and whole numbers, which is generous: there the meta device decides (sizing.py).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from gradcli.engine.defaults import tensors
from gradcli.language.vocabulary import Function


@dataclass(frozen=True, slots=True)
class Operands:
    """The operands of a step, and the tensors among them."""

    name: str
    args: list[Any]
    kwargs: dict[str, Any]
    tensors: list[torch.Tensor]

    @property
    def values(self) -> list[Any]:
        return [*self.args, *self.kwargs.values()]


Rule = Callable[[Operands], int | None]


def most_elements(function: Function, given: Operands) -> tuple[int, bool]:
    """An upper bound of the elements of a step's result, and whether a rule gave it."""
    rule = BY_GROWTH.get(function.grows) or BY_NAME.get(function.name)
    if rule is None and function.grows:
        return (4 * product(given.values)) ** 2, False
    rule = rule or BY_FAMILY.get(function.family) or (_broadcast if function.pointwise else None)
    try:
        found = rule(given) if rule else None
    except (TypeError, ValueError, IndexError, AttributeError, OverflowError):
        found = None  # operands that torch will refuse
    return (product(given.values), False) if found is None else (found, True)


def product(values: Any) -> int:
    """The product of the element counts of tensors and of the numbers in nested lists."""
    total = 1
    for value in values:
        if isinstance(value, torch.Tensor):
            total *= max(value.numel(), 1)
        elif isinstance(value, (int, float)):
            total *= max(math.ceil(abs(value)), 1) if math.isfinite(value) else 1
        elif isinstance(value, (list, tuple)):
            total *= product(value)
    return total


def integers(values: Any) -> Iterator[int]:
    """Whole numbers in nested lists."""
    for value in values:
        if isinstance(value, int) and not isinstance(value, bool):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from integers(value)


def _sizes(values: Any) -> int:
    return math.prod(max(abs(one), 1) for one in integers(values))


def _broadcast(given: Operands) -> int:
    shape: list[int] = []
    for one in given.tensors:
        sizes = one.shape
        shape = [1] * (len(sizes) - len(shape)) + shape
        for index in range(1, len(sizes) + 1):
            shape[-index] = max(shape[-index], sizes[-index])
    return math.prod(shape)


def _largest(given: Operands) -> int:
    """Reductions, scans, sorts: no more than the largest operand."""
    return max((one.numel() for one in given.tensors), default=1)


def _reduced(given: Operands) -> int | None:
    """One element without dimensions; with `dim=` the other dimensions; None where a number may mean something else."""
    first = given.tensors[0]
    dims = list(integers([given.kwargs.get("dim", ())]))
    if dims:
        gone = math.prod(first.shape[one] for one in dims) if first.dim() else 1
        return 2 * int(first.numel()) // max(gone, 1)
    return None if any(integers(given.args[1:])) else 2


def _outer(given: Operands) -> int:
    return math.prod(one.numel() for one in given.tensors)


def _grid(given: Operands) -> int:
    """Every combination of one element of each tensor, once for each tensor."""
    return len(given.tensors) * _outer(given)


def _diagonal(given: Operands) -> int:
    """A square beside each vector: n columns, or as many as a number says."""
    (first, *_), sizes = given.tensors, [abs(one) for one in integers(given.values)]
    if given.name == "diag" and first.dim() > 1:
        return int(first.numel())
    width = first.numel() if given.name in {"diag", "diagflat"} else first.shape[-1]
    return (int(first.numel()) + max(sizes, default=0)) * max(width + max(sizes, default=0), 1)


def _rows_squared(given: Operands) -> int:
    return int(given.args[0].shape[0]) ** 2 if given.args[0].dim() > 1 else 1


def _scaled(given: Operands) -> int | None:
    """size= names the new sizes, scale_factor= multiplies the old ones; one number stands for each dimension."""
    first = given.args[0]
    places = first.dim() - 2
    size = given.kwargs.get("size", given.args[1] if len(given.args) > 1 else None)
    factor = given.kwargs.get("scale_factor", given.args[2] if len(given.args) > 2 else None)
    if size is not None:
        sizes = [size] * places if isinstance(size, int) else list(size)
        return int(first.shape[0] * first.shape[1]) * math.prod(max(one, 0) for one in sizes)
    factors = list(factor) if isinstance(factor, (list, tuple)) else [factor] * places
    return int(first.numel() * math.prod(float(one) for one in factors)) + 1


def _bins(given: Operands) -> int:
    return max(integers(given.values), default=100)


def _sum(given: Operands) -> int:
    return sum(one.numel() for one in given.tensors)


def _written(given: Operands) -> int:
    """zeros(3, 4), full((3, 4), 0.5): the sizes are written."""
    written = given.kwargs.get("size", given.args)
    first = written[0] if written and isinstance(written[0], (list, tuple)) else written
    return math.prod(max(one, 0) for one in integers(first))


def _like(given: Operands) -> int | None:
    """new_zeros(3, 4) has its own size, zeros_like(A) that of A."""
    sizes = [*given.args[1:], *([given.kwargs["size"]] if "size" in given.kwargs else [])]
    return math.prod(max(one, 0) for one in integers(sizes)) if sizes else given.args[0].numel()


def _range(given: Operands) -> int:
    values = [*given.args, *(given.kwargs[name] for name in ("start", "end", "step") if name in given.kwargs)]
    start, end, step = (0, values[0], 1) if len(values) == 1 else (*values, 1)[:3]
    return max(math.ceil((end - start) / step), 0) if step else 1


def _steps(given: Operands) -> int:
    return int(given.kwargs.get("steps", given.args[2] if len(given.args) > 2 else 1))


def _eye(given: Operands) -> int:
    values = list(integers(given.values))
    return values[0] * values[-1]


def _expanded(given: Operands) -> int:
    """-1 keeps a size: its place has at most what the tensor has."""
    sizes = list(integers([*given.args[1:], *given.kwargs.values()]))
    kept = given.args[0].numel() if any(one < 0 for one in sizes) else 1
    return kept * math.prod(max(one, 1) for one in sizes)


def _repeated(given: Operands) -> int:
    return int(given.args[0].numel()) * _sizes([*given.args[1:], *given.kwargs.values()])


def _matrix(given: Operands) -> int:
    """Rows of the first by columns of the last, for each place of their broadcast batches."""
    found = given.tensors[-2:]
    rows = found[0].shape[-2] if found[0].dim() > 1 else 1
    columns = found[1].shape[-1] if found[1].dim() > 1 else 1
    batch: list[int] = []
    for one in found:
        sizes = list(one.shape[:-2])
        batch = [1] * (len(sizes) - len(batch)) + batch
        for index in range(1, len(sizes) + 1):
            batch[-index] = max(batch[-index], sizes[-index])
    return math.prod(batch) * rows * columns


def _einsum(given: Operands) -> int | None:
    equation = given.args[0] if isinstance(given.args[0], str) else given.kwargs.get("equation")
    if not isinstance(equation, str) or "." in equation:
        return None
    left, arrow, right = equation.replace(" ", "").partition("->")
    sizes: dict[str, int] = {}
    for letters, one in zip(left.split(","), tensors(given.args), strict=True):
        sizes |= {letter: max(size, sizes.get(letter, 1)) for letter, size in zip(letters, one.shape, strict=True)}
    kept = right if arrow else [letter for letter in sizes if left.count(letter) == 1]
    return math.prod(sizes[letter] for letter in kept)


def _padded(given: Operands) -> int:
    pads = list(integers([given.kwargs.get("pad", given.args[1] if len(given.args) > 1 else ())]))
    sizes = list(given.args[0].shape)
    for place in range(len(pads) // 2):
        sizes[-1 - place] = max(sizes[-1 - place] + pads[2 * place] + pads[2 * place + 1], 0)
    return math.prod(sizes)


def _distances(given: Operands) -> int:
    first, *rest = given.tensors
    other = rest[0] if rest else first
    return int(first.numel() // max(first.shape[-1], 1)) * int(other.shape[-2])


def _pooled(given: Operands) -> int:
    """A window moves by one at least, and padding adds at most a window on each side."""
    return int(given.args[0].numel()) * 4


def _classes(given: Operands) -> int:
    """one_hot and bincount are as long as the largest value, or as a number given."""
    found = [one for one in given.tensors if one.numel() and not (one.is_floating_point() or one.is_complex())]
    largest = max((int(one.max()) + 1 for one in found), default=1)
    rows = max((one.numel() for one in found), default=1)
    return int(max(largest, *integers(given.values), 1)) * int(rows)


def _repeats(given: Operands) -> int:
    counts = [one for one in given.tensors if not (one.is_floating_point() or one.is_complex()) and one.numel()]
    times = max([int(one.sum()) for one in counts], default=1)
    return max(times, 1) * int(given.args[0].numel()) * _sizes([*given.args[1:], *given.kwargs.values()])


def _combinations(given: Operands) -> int:
    """A grid of n**r choices is made before it is masked."""
    r = next(integers([*given.args[1:], *given.kwargs.values()]), 2)
    return int(math.pow(given.args[0].numel(), min(max(r, 1), 16)))


def _pairs(given: Operands) -> int:
    values = list(integers(given.values))
    return 2 * max(values[0], 1) * max(values[1] if len(values) > 1 else 1, 1)


def _convolved(given: Operands) -> int | None:
    """Output channels by the places of the input: a stride only shrinks, padding adds a filter at most."""
    if (
        not re.fullmatch(r"conv[123]d", given.name)
        or len(given.args) < 2
        or any(integers([*given.args[3:], *given.kwargs.values()]))
    ):
        return None
    data, weight = given.args[:2]
    return int(data.numel() // max(data.shape[-weight.dim() + 1], 1)) * int(weight.shape[0])


def _unruled(_: Operands) -> None:
    """No rule: the product of all operands stands in."""


BY_FAMILY: dict[str, Rule] = {
    "reductions": _reduced, "scans": _largest, "sorting": _largest, "masked": _largest, "losses": _sum,
    "activations": _largest, "normalization": _sum, "dropout": _largest, "conversion": _largest, "attributes": _largest,
    "inspection": _largest, "shape": _largest, "joining": _sum, "pooling": _pooled, "convolution": _convolved,
    "complex": _sum, "windows": _bins,
}  # fmt: skip

# Rows whose results depend on data, or outgrow every product of their operands: always asked.
BY_GROWTH: dict[str, Rule] = {
    "classes": _classes, "values": _classes, "repeats": _repeats, "combinations": _combinations, "steps": _range,
}  # fmt: skip

BY_NAME: dict[str, Rule] = {
    **dict.fromkeys(("zeros", "ones", "full", "rand", "randn"), _written),
    **dict.fromkeys(("new_zeros", "new_ones", "new_full"), _like),
    **dict.fromkeys(("expand", "broadcast_to", "expand_copy"), _expanded),
    **dict.fromkeys(("repeat", "tile"), _repeated),
    **dict.fromkeys(("matmul", "@", "mm", "bmm", "mv", "addmm", "addmv", "baddbmm"), _matrix),
    **dict.fromkeys(("outer", "kron", "ger"), _outer),
    **dict.fromkeys(("meshgrid", "cartesian_prod"), _grid),
    **dict.fromkeys(("diag_embed", "diagflat", "diag", "vander", "linalg.vander"), _diagonal),
    **dict.fromkeys(("cov", "corrcoef"), _rows_squared),
    **dict.fromkeys(("interpolate", "upsample", "upsample_nearest", "upsample_bilinear"), _scaled),
    **dict.fromkeys(("cdist",), _distances),
    **dict.fromkeys(("tril_indices", "triu_indices"), _pairs),
    **dict.fromkeys(("histogram", "histogramdd", "quantile", "nanquantile"), _unruled),
    "histc": _bins,
    **dict.fromkeys(("linear", "bilinear", "segment_reduce", "unflatten"), _unruled),
    "arange": _range, "linspace": _steps, "logspace": _steps, "eye": _eye, "einsum": _einsum, "pad": _padded,
    "index": _sum, "store": _largest, "len": _largest,
    "field": _largest, "dot": _largest,
}  # fmt: skip
