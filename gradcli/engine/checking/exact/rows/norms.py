"""Norms, distances and similarities."""

from __future__ import annotations

from typing import Any

import mpmath as mp

from gradcli.engine.checking.exact.array import Array, array, each
from gradcli.engine.checking.exact.number import Unknown
from gradcli.engine.checking.exact.rows.elementary import power
from gradcli.engine.checking.exact.rows.reductions import extreme, sqrt


def vector_norm(input: Array, ord: Any = 2, dim: Any = None, keepdim: Any = False) -> Array:
    """The p-norm along some dimensions."""
    if ord in (2, "fro", None):
        return sqrt((input * input).sum(dim, keepdim))
    sizes = each(abs, input)
    if ord in (float("inf"), float("-inf")):
        return sizes.reduced(extreme(ord > 0), dim, keepdim)
    if ord == 0:
        return each(lambda x: mp.mpf(x != 0), input).sum(dim, keepdim)
    if ord == 1:
        return sizes.sum(dim, keepdim)
    summed = each(lambda x: power(x, mp.mpf(ord)), sizes).sum(dim, keepdim)
    return each(lambda x: power(x, 1 / mp.mpf(ord)), summed)


def _norm(input: Array, p: Any = "fro", dim: Any = None, keepdim: Any = False) -> Array:
    if p == "nuc":
        raise Unknown
    return vector_norm(input, p, dim, keepdim)


def _linalg_norm(input: Array, ord: Any = None, dim: Any = None, keepdim: Any = False) -> Array:
    matrix = (len(input.shape) == 2 and dim is None) or (isinstance(dim, (tuple, list)) and len(dim) == 2)
    if ord is not None and matrix:
        return matrix_norm(input, ord, dim or (-2, -1), keepdim)
    return vector_norm(input, ord, dim, keepdim)


def matrix_norm(input: Array, ord: Any = "fro", dim: Any = (-2, -1), keepdim: Any = False) -> Array:
    """The Frobenius norm, and the largest or smallest sum of a row or a column; those of singular values are no sums."""
    if ord == "fro":
        return vector_norm(input, 2, tuple(dim), keepdim)
    if keepdim or abs(ord if not isinstance(ord, str) else 2) not in (1, float("inf")):
        raise Unknown
    rows, columns = (one % len(input.shape) for one in dim)
    summed, left = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = each(abs, input).sum(summed)
    return sums.reduced(extreme(ord > 0), left - (summed < left))


def _distance(x1: Array, x2: Any, p: Any = 2.0, eps: Any = 1e-6, keepdim: Any = False) -> Array:
    return vector_norm(x1 - array(x2) + eps, p, -1, keepdim)


def _pairs(input: Array, p: Any = 2.0) -> Array:
    count = input.shape[0]
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    return vector_norm(input.moved(lambda places: places[first]) - input.moved(lambda places: places[second]), p, -1)


def _distances(x1: Array, x2: Any, p: Any = 2.0, compute_mode: Any = None) -> Array:
    del compute_mode
    left, right = x1.moved(lambda places: places.unsqueeze(-2)), array(x2).moved(lambda places: places.unsqueeze(-3))
    return vector_norm(left - right, p, -1)


def cosine(x1: Array, x2: Any, dim: Any = 1, eps: Any = 1e-8) -> Array:
    """The cosine of the angle between vectors, whose lengths count as no less than eps."""
    other = array(x2)
    lengths = [each(lambda x: max(x, mp.mpf(eps)), vector_norm(one, 2, dim)) for one in (x1, other)]
    return (x1 * other).sum(dim) / (lengths[0] * lengths[1])


def normalized(input: Array, p: Any = 2.0, dim: Any = 1, eps: Any = 1e-12) -> Array:
    """A vector over its length, which counts as no less than eps."""
    return input / each(lambda x: max(x, mp.mpf(eps)), vector_norm(input, p, dim, True))


ROWS = {
    "norm": _norm, "frobenius_norm": lambda input, dim, keepdim=False: vector_norm(input, 2, dim, keepdim),
    "dist": lambda input, other, p=2: vector_norm(input - array(other), p), "vector_norm": vector_norm,
    "linalg.norm": _linalg_norm, "matrix_norm": matrix_norm, "cosine_similarity": cosine,
    "pairwise_distance": _distance, "pdist": _pairs, "cdist": _distances, "normalize": normalized,
}  # fmt: skip
