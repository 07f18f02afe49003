"""How many elements products of vectors and matrices make, and what becomes of a matrix."""

from __future__ import annotations

import math
from typing import Any

import torch

from gradcli.engine.bounds.contraction import contracted
from gradcli.engine.bounds.operands import Operands, Rule, broadcast, integers, kept, largest, same, spread


def _batched(*found: torch.Tensor) -> int:
    """The places of the broadcast batches of some matrices."""
    shape = broadcast(one.shape[:-2] for one in found)
    return math.prod(shape) if shape is not None else max(math.prod(one.shape[:-2]) for one in found)


def one(_: Operands) -> int:
    """A number alone."""
    return 1


def rows(one: torch.Tensor) -> int:
    return one.shape[-2] if one.dim() > 1 else 1


def columns(one: torch.Tensor) -> int:
    """The columns of a matrix as the last factor of a product; a vector there makes one."""
    return one.shape[-1] if one.dim() > 1 else 1


def _product(given: Operands) -> int:
    """Rows of the first by columns of the last, for each place of their broadcast batches."""
    first, last = given.tensors[-2:]
    return _batched(first, last) * rows(first) * columns(last)


def _one_product(given: Operands) -> int:
    """The sum of a batch of products; the product of a chain."""
    first, last = given.tensors[-2:] if given.name == "addbmm" else (given.first, given.tensors[-1])
    return rows(first) * columns(last)


def _grouped(given: Operands) -> int:
    """Groups of rows or columns, together or each by itself."""
    first, last = given.get("mat_a"), given.get("mat_b")
    groups = given.get("offs").numel() if given.get("offs") is not None and first.dim() == last.dim() == 2 else 1
    return max(_batched(first, last) if first.dim() == last.dim() == 3 else 1, groups) * rows(first) * columns(last)


def _outer(given: Operands) -> int:
    return math.prod(one.numel() for one in given.tensors[-2:])


def _inner(given: Operands) -> int:
    first, last = given.tensors[:2]
    return spread(given) if 0 in (first.dim(), last.dim()) else kept(first, [-1]) * kept(last, [-1])


def _along(given: Operands) -> int:
    """Dot products, similarities and distances along a dimension of two tensors."""
    shape = list(broadcast(one.shape for one in given.tensors[:2]) or ())
    if not shape:
        return largest(given)
    del shape[given.whole("dim", default=1 if given.name == "cosine_similarity" else -1)]
    return math.prod(shape)


def _contracted(given: Operands) -> int:
    first, last = given.tensors[:2]
    dims: Any = given.get("dims", default=2)
    if isinstance(dims, int):
        own = range(max(first.dim() - dims, 0), first.dim())
        others = range(min(dims, last.dim()))
    else:
        pairs = dims.tolist() if isinstance(dims, torch.Tensor) else dims
        own, others = integers([pairs[0]]), integers([pairs[1]])  # type: ignore[assignment]
    return kept(first, own) * kept(last, others)


def _distances(given: Operands) -> int:
    first, other = given.tensors[:2]
    return _batched(first, other) * rows(first) * rows(other)


def _pairs(given: Operands) -> int:
    n = given.first.shape[0] if given.first.dim() else 1
    return n * (n - 1) // 2


def _powers(given: Operands) -> int:
    """vander: so many powers of each element, as many as there are elements without a number."""
    n = given.get("N")
    return same(given) * (n if isinstance(n, int) else given.first.shape[-1])


def _of_each(count: int) -> Rule:
    """So many numbers for each matrix."""

    def rule(given: Operands) -> int:
        return count * kept(given.first, [-2, -1][-given.first.dim() :])

    return rule


def _copies(count: int) -> Rule:
    """So many matrices of the same size."""

    def rule(given: Operands) -> int:
        return count * same(given)

    return rule


def _factors(given: Operands) -> int:
    """qr, svd: two factors and the singular values; whole ones are square."""
    batch = kept(given.first, [-2, -1])
    m, n = given.first.shape[-2:]
    k = min(m, n)
    whole = given.get("full_matrices", default=given.name == "linalg.svd") is True
    whole |= given.get("some") is False or given.get("mode") == "complete"
    if given.name in {"qr", "linalg.qr"}:
        return batch * ((m * m + m * n) if whole else (m * k + k * n))
    return batch * ((m * m + n * n + k) if whole else (m * k + k * n + k))


def _permuted(given: Operands) -> int:
    """lu with its permutation, which is a square."""
    batch = kept(given.first, [-2, -1])
    m, n = given.first.shape[-2:]
    k = min(m, n)
    return batch * (m * m + m * k + k * n)


def _low_rank(given: Operands) -> int:
    q = given.get("q", "k")
    m, n = given.first.shape[-2:]
    width = q if isinstance(q, int) else min(6, m, n)
    return kept(given.first, [-2, -1]) * width * (m + n + 1)


def _solved(given: Operands) -> int:
    """A column of unknowns for each column on the right, for each place of the batches."""
    right, matrix = (given.get("B", "b", "input"), given.get("A", "LU", "LU_data", "LD", "input2", "input"))
    right, matrix = (one if isinstance(one, torch.Tensor) else given.first for one in (right, matrix))
    if right.dim() < 2 or right.shape == matrix.shape[:-1]:
        return right.numel() if right.dim() > 1 else max(matrix.shape[-1], right.numel()) * max(_batched(matrix), 1)
    return _batched(matrix, right) * max(right.shape[-2], matrix.shape[-1]) * right.shape[-1]


def _unknowns(given: Operands) -> int:
    """tensorsolve: as many unknowns as the first tensor has columns for each equation."""
    first, right = given.tensors[:2]
    return first.numel() // max(right.numel(), 1)


def _values(given: Operands) -> int:
    """Singular values and eigenvalues: as many as a matrix has on its diagonal."""
    return kept(given.first, [-2, -1]) * min(given.first.shape[-2:])


def _solved_too(given: Operands) -> int:
    """The solution with the factors that it came from."""
    return 2 * _solved(given) + sum(one.numel() for one in given.tensors)


NAMES: dict[str, Rule] = {
    **dict.fromkeys(("matmul", "@", "@=", "mm", "bmm", "mv"), _product),
    **dict.fromkeys(("addmm", "addmv", "baddbmm"), _product),
    **dict.fromkeys(("addbmm", "chain_matmul", "multi_dot"), _one_product),
    **dict.fromkeys(("dot", "vdot"), one),
    **dict.fromkeys(("outer", "kron", "addr"), _outer),
    **dict.fromkeys(("vecdot", "cosine_similarity", "pairwise_distance"), _along),
    **dict.fromkeys(("cross", "linalg.cross"), spread),
    **dict.fromkeys(("vander", "linalg.vander"), _powers),
    **dict.fromkeys(("cond", "det", "logdet", "matrix_rank", "trace"), _of_each(1)),
    **dict.fromkeys(("slogdet",), _of_each(2)),
    **dict.fromkeys(("svdvals", "eigvals", "eigvalsh"), _values),
    **dict.fromkeys(("inv_ex", "eig", "eigh", "lu_factor", "lu_factor_ex", "ldl_factor", "ldl_factor_ex", "geqrf", "lu",
                     "cholesky_ex"), _copies(2)),
    **dict.fromkeys(("qr", "linalg.qr", "svd", "linalg.svd"), _factors),
    **dict.fromkeys(("linalg.lu", "lu_unpack"), _permuted),
    **dict.fromkeys(("svd_lowrank", "pca_lowrank", "lobpcg"), _low_rank),
    **dict.fromkeys(("solve", "solve_triangular", "cholesky_solve", "lu_solve", "linalg.lu_solve"), _solved),
    "ldl_solve": _solved,
    **dict.fromkeys(("solve_ex", "triangular_solve", "lstsq"), _solved_too),
    "tensorsolve": _unknowns, "grouped_mm": _grouped, "inner": _inner, "tensordot": _contracted,
    "cdist": _distances, "pdist": _pairs, "einsum": contracted,
}  # fmt: skip


FAMILIES: dict[str, Rule] = {"linalg": largest, "decompositions": largest, "similarity": spread}
