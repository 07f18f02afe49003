"""Products of vectors and matrices."""

from __future__ import annotations

import math
from functools import reduce
from itertools import product as combinations
from typing import Any

import torch

from gradcli.engine.checking.exact.array import Array, array, inner
from gradcli.engine.checking.exact.number import Unknown
from gradcli.engine.checking.exact.rows.reductions import product as multiplied

LARGEST = 40_000  # products of numbers that one operation may take


def matmul(input: Any, other: Any) -> Array:
    """Rows times columns, with torch's rules for vectors and batches."""
    left, right = array(input), array(other)
    a, b = left.places(), right.places()
    wide = a.unsqueeze(0) if a.dim() == 1 else a
    tall = b.unsqueeze(-1) if b.dim() == 1 else b
    rows, columns = torch.broadcast_tensors(wide.unsqueeze(-2), tall.transpose(-1, -2).unsqueeze(-3))
    if rows.numel() > LARGEST:
        raise Unknown
    width = rows.shape[-1]
    pairs = zip(rows.reshape(-1, width).tolist(), columns.reshape(-1, width).tolist(), strict=True)
    shape = [*rows.shape[:-3], *(rows.shape[-3:-2] if a.dim() > 1 else ()), *(rows.shape[-2:-1] if b.dim() > 1 else ())]
    return Array(tuple(shape), [inner((left.items[i] for i in x), (right.items[j] for j in y)) for x, y in pairs])


def transposed(matrix: Array) -> Array:
    return matrix.moved(lambda places: places.mT)


def _outer(input: Any, vec2: Any) -> Array:
    left, right = array(input), array(vec2)
    return left.moved(lambda places: places.unsqueeze(1)) * right.moved(lambda places: places.unsqueeze(0))


def _inner(input: Any, other: Any) -> Array:
    right = array(other)
    if not right.shape or not array(input).shape:
        return array(input) * right
    return matmul(input, right if len(right.shape) == 1 else transposed(right))


def _added(made: Any) -> Any:
    def add(input: Any, first: Any, second: Any, beta: Any = 1, alpha: Any = 1) -> Array:
        return array(made(first, second)) * alpha + array(input) * beta

    return add


def _linear(input: Any, weight: Any, bias: Any = None) -> Array:
    weights = array(weight)
    found = matmul(input, weights if len(weights.shape) == 1 else transposed(weights))
    return found if bias is None else found + array(bias)


def _bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Array:
    found = einsum("zi,oij,zj->zo", input1, weight, input2)
    return found if bias is None else found + array(bias)


def einsum(equation: str, *operands: Any) -> Array:
    """The sum of products that an equation of single letters says."""
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    equation = equation.replace(" ", "")
    if "." in equation or not equation.replace(",", "").replace("->", "").isalpha():
        raise Unknown
    sides, arrow, kept = equation.partition("->")
    letters = sides.split(",")
    if not arrow:
        kept = "".join(sorted(one for one in set(sides) - {","} if sides.count(one) == 1))
    arrays = list(map(array, operands))
    sizes = {
        letter: size
        for names, one in zip(letters, arrays, strict=True)
        for letter, size in zip(names, one.shape, strict=True)
    }
    summed = [letter for letter in sizes if letter not in kept]
    if math.prod(sizes.values()) > LARGEST:
        raise Unknown
    places = [one.places() for one in arrays]
    made = []
    for outer in combinations(*(range(sizes[letter]) for letter in kept)):
        terms = []
        for rest in combinations(*(range(sizes[letter]) for letter in summed)):
            at = dict(zip((*kept, *summed), (*outer, *rest), strict=True))
            terms.append(
                [
                    one.items[int(place[tuple(at[x] for x in names)])]
                    for one, place, names in zip(arrays, places, letters, strict=True)
                ]
            )
        made.append(inner((term[0] for term in terms), (multiplied(term[1:]) for term in terms)))
    return Array(tuple(sizes[letter] for letter in kept), made)


def _cross(input: Any, other: Any, dim: Any = -1) -> Array:
    left, right = array(input), array(other)
    axis = next(k for k, size in enumerate(left.shape) if size == 3) if dim is None else dim

    def rolled(one: Array, by: int) -> Array:
        return one.moved(lambda places: places.roll(by, axis))

    return rolled(left, -1) * rolled(right, -2) - rolled(left, -2) * rolled(right, -1)


def _kron(input: Any, other: Any) -> Array:
    left, right = array(input), array(other)
    rank = max(len(left.shape), len(right.shape))
    a, b = ((1,) * (rank - len(one.shape)) + one.shape for one in (left, right))
    spread_left = left.moved(lambda places: places.reshape([x for size in a for x in (size, 1)]))
    spread_right = right.moved(lambda places: places.reshape([x for size in b for x in (1, size)]))
    shape = [x * y for x, y in zip(a, b, strict=True)]
    return (spread_left * spread_right).moved(lambda places: places.reshape(shape))


def _summed(batch1: Any, batch2: Any) -> Array:
    return matmul(batch1, batch2).sum(0)


def _dot(left: Any, right: Any, dim: Any = -1) -> Array:
    return (array(left) * array(right)).sum(dim)


ROWS = {
    "@": matmul, "matmul": matmul, "mm": lambda input, mat2: matmul(input, mat2),
    "bmm": lambda input, mat2: matmul(input, mat2), "mv": lambda input, vec: matmul(input, vec),
    "dot": lambda input, tensor: matmul(input, tensor), "vdot": matmul,
    "vecdot": lambda x, y, dim=-1: _dot(x, y, dim), "inner": _inner, "outer": _outer, "einsum": einsum,
    "addmm": lambda input, mat1, mat2, beta=1, alpha=1: _added(matmul)(input, mat1, mat2, beta, alpha),
    "addmv": lambda input, mat, vec, beta=1, alpha=1: _added(matmul)(input, mat, vec, beta, alpha),
    "addr": lambda input, vec1, vec2, beta=1, alpha=1: _added(_outer)(input, vec1, vec2, beta, alpha),
    "baddbmm": lambda input, batch1, batch2, beta=1, alpha=1: _added(matmul)(input, batch1, batch2, beta, alpha),
    "addbmm": lambda input, batch1, batch2, beta=1, alpha=1: _added(_summed)(input, batch1, batch2, beta, alpha),
    "chain_matmul": lambda *matrices: reduce(matmul, matrices), "multi_dot": lambda tensors: reduce(matmul, tensors),
    "linear": _linear, "bilinear": _bilinear, "cross": lambda input, other, dim=None: _cross(input, other, dim),
    "linalg.cross": _cross, "kron": _kron,
}  # fmt: skip
