"""Determinants, inverses, equations, powers and spectra of matrices, by mpmath's own algorithms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import torch

from gradcli.engine.checking.exact.array import Array, array, each, joint
from gradcli.engine.checking.exact.number import Number, Unknown
from gradcli.engine.checking.exact.rows.products import matmul, transposed

# Rows of a matrix: each element is moved, and each time everything is computed anew.
LARGEST, LARGEST_SPECTRUM = 8, 4

Values = list[Any]


def square(matrix: Array, largest: int = LARGEST) -> int:
    """The size of a square matrix that is not too large. Raises Unknown for others."""
    size = matrix.shape[-1] if matrix.shape else 0
    if not 0 < size <= largest or matrix.shape[-2] != size or len(matrix.items) > 4 * LARGEST**2:
        raise Unknown
    return size


def of_each(function: Callable[[mp.matrix], Values], matrices: Array, shape: tuple[int, ...]) -> Array:
    """A function of each matrix of a batch that gives numbers of a shape."""
    rows, columns = matrices.shape[-2:]
    size = rows * columns
    batches = [matrices.items[k : k + size] for k in range(0, len(matrices.items), size)]
    made = [joint(lambda values: function(_matrix(values, rows, columns)), one) for one in batches]
    return Array((*matrices.shape[:-2], *shape), [number for one in made for number in one])


def _matrix(values: Values, rows: int, columns: int) -> mp.matrix:
    return mp.matrix([values[k * columns : (k + 1) * columns] for k in range(rows)])


def _flat(matrix: mp.matrix) -> Values:
    return list(matrix)


def determinant(input: Array) -> Array:
    square(input)
    return of_each(lambda matrix: [mp.det(matrix)], input, ())


def inverse(input: Array) -> Array:
    size = square(input)
    return of_each(lambda matrix: _flat(mp.inverse(matrix)), input, (size, size))


def solution(A: Any, B: Any, left: Any = True) -> Array:
    """X of A X = B, or of X A = B."""
    matrix, right = array(A), array(B)
    if not left:
        return transposed(solution(transposed(matrix), transposed(right)))
    vectors = len(right.shape) == 1 or right.shape == matrix.shape[:-1]
    found = matmul(inverse(matrix), right.moved(lambda places: places.unsqueeze(-1)) if vectors else right)
    return found.moved(lambda places: places.squeeze(-1)) if vectors else found


def _logarithm_of_size(input: Array) -> Array:
    return each(lambda x: mp.log(abs(x)), determinant(input))


def _power(input: Array, n: int) -> Array:
    size = square(input)
    if n < 0:
        return _power(inverse(input), -n)
    if n == 0:
        return array(torch.eye(size, dtype=torch.float64).expand(input.shape))
    half = _power(input, n // 2) if n > 1 else None
    even = matmul(half, half) if half is not None else None
    return even if even is not None and n % 2 == 0 else input if even is None else matmul(even, input)


def _exponential(input: Array) -> Array:
    size = square(input, LARGEST_SPECTRUM - 1)
    return of_each(lambda matrix: _flat(mp.expm(matrix)), input, (size, size))


def _cholesky(input: Array, upper: Any = False) -> Array:
    """The lower factor; only the symmetric part counts, as torch differentiates it."""
    size = square(input)
    found = of_each(lambda matrix: _flat(mp.cholesky((matrix + matrix.T) / 2)), input, (size, size))
    return transposed(found) if upper else found


def _eigenvalues(input: Array, UPLO: Any = "L") -> Array:
    """Those of a symmetric matrix, rising."""
    del UPLO
    size = square(input, LARGEST_SPECTRUM)
    return of_each(lambda matrix: sorted(mp.eigsy((matrix + matrix.T) / 2, eigvals_only=True)), input, (size,))


def singular_values(A: Array) -> Array:
    """Falling."""
    if max(A.shape[-2:]) > LARGEST_SPECTRUM:
        raise Unknown
    return of_each(lambda matrix: sorted(mp.svd_r(matrix, compute_uv=False), reverse=True), A, (min(A.shape[-2:]),))


def _triangular(input: Any, B: Any, upper: Any, left: Any = True, unitriangular: Any = False) -> Array:
    """Only the triangle counts: zeros stand in the other one."""
    if unitriangular:
        raise Unknown
    matrix = array(input)
    places = matrix.places() + 1
    padded = Array(matrix.shape, [Number(mp.mpf(0)), *matrix.items])
    return solution(padded.at(places.triu() if upper else places.tril()), B, left)


def _trace(input: Array) -> Array:
    return input.moved(lambda places: places.diagonal()).sum()


def _vandermonde(x: Any, N: Any = None) -> Array:
    base = array(x)
    count = N if N is not None else base.shape[-1]
    powers = torch.arange(count, dtype=torch.float64)
    return each(
        lambda t, k: mp.mpf(1) if k == 0 else t ** int(k), base.moved(lambda places: places.unsqueeze(-1)), powers
    )


def _nuclear(input: Array, keepdim: Any = False) -> Array:
    if keepdim:
        raise Unknown
    return singular_values(input).sum(-1)


def _sign_and_size(input: Array) -> dict[str, Any]:
    return {"sign": each(lambda x: mp.sign(x), determinant(input)), "logabsdet": _logarithm_of_size(input)}


ROWS = {
    "det": determinant, "logdet": lambda input: each(mp.log, determinant(input)), "slogdet": _sign_and_size,
    "trace": _trace, "inverse": inverse, "inv_ex": lambda A, check_errors=False: {"inverse": inverse(A), "info": None},
    "solve": solution, "matrix_power": _power, "matrix_exp": _exponential, "cholesky": _cholesky,
    "linalg.cholesky": _cholesky, "eigvalsh": _eigenvalues, "svdvals": singular_values, "nuclear_norm": _nuclear,
    "solve_triangular": _triangular, "linalg.vander": _vandermonde,
}  # fmt: skip
