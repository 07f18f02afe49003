"""Linear algebra of whole matrices: norms, determinants, inverses, equations and powers."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "linalg",
    row(
        "linalg.norm", "linalg.norm", "(input, ord=None, dim=None, keepdim=False, *, dtype=None)",
        "Vector or matrix norm of the given order.",
        smooth="norm != 0; for ord <= 1 also input != 0, for infinite ord no ties", kinks="zero ties",
        at_kinks="torch takes 0 at zero (a subgradient of the singular values for 2, -2, nuc); ties share evenly.",
        strings={"ord": "fro nuc"},
    ),
    row(
        "vector_norm", "linalg", "(input, ord=2, dim=None, keepdim=False, *, dtype=None)",
        "Vector norm of the given order.",
        smooth="norm != 0; for ord <= 1 also input != 0, for infinite ord no ties", kinks="zero ties",
        at_kinks="torch takes 0 at zero; equal largest elements share the gradient evenly.",
    ),
    row(
        "matrix_norm", "linalg", "(input, ord='fro', dim=(-2, -1), keepdim=False, *, dtype=None)",
        "Matrix norm: Frobenius, nuclear, or of order 1, 2, inf and their negatives.",
        smooth="norm != 0, no ties; for nuc invertible input, for 1 and inf input != 0", kinks="zero ties",
        at_kinks="torch takes 0 at zero (a subgradient of the singular values for 2, -2, nuc); ties share evenly.",
        strings={"ord": "fro nuc"},
    ),
    row(
        "cond", "linalg", "(input, p=None)", "Condition number in the norm p.",
        smooth="invertible input, distinct singular values", kinks="ties",
        at_kinks="torch refuses the backward for p = 'fro', 1, -1, inf, -inf.",
        strings={"p": "fro nuc"},
    ),
    row(
        "det", "torch linalg Tensor", "(input) | (A)", "Determinant.",
        at_kinks="torch gives 0 where the determinant is exactly 0, not the cofactors.",
    ),
    row(
        "logdet", "torch Tensor", "(input)", "Logarithm of the determinant.",
        smooth="determinant > 0", at_kinks="The gradient is infinite for a singular matrix.",
    ),
    row(
        "slogdet", "torch linalg Tensor", "(input) | (A)", "Sign of the determinant and logarithm of its size.",
        smooth="invertible input", at_kinks="The gradient is infinite or NaN for a singular matrix.",
    ),
    row("trace", "torch Tensor", "(input)", "Sum of the diagonal."),
    row(
        "matrix_rank", "linalg",
        "(input, *, atol=None, rtol=None, hermitian=False) | (input, tol, hermitian=False)",
        "Number of singular values above a tolerance.",
        smooth="nowhere", differentiable=False,
    ),
    row("inverse", "torch Tensor linalg.inv", "(input) | (A)", "Inverse matrix.", smooth="invertible input"),
    row(
        "inv_ex", "linalg", "(A, *, check_errors=False)", "Inverse matrix, and a code that tells of failure.",
        smooth="invertible A",
    ),
    row("pinverse", "torch Tensor", "(input, rcond=1e-15)", "Pseudoinverse.", smooth="constant rank around input"),
    row(
        "pinv", "linalg",
        "(input, *, atol=None, rtol=None, hermitian=False) | (input, rcond, hermitian=False)", "Pseudoinverse.",
        smooth="constant rank around input",
    ),
    row("solve", "linalg", "(A, B, *, left=True)", "Solution X of A X = B, or of X A = B.", smooth="invertible A"),
    row(
        "solve_ex", "linalg", "(A, B, *, left=True, check_errors=False)",
        "Solution X of A X = B, and a code that tells of failure.",
        smooth="invertible A",
    ),
    row(
        "solve_triangular", "linalg", "(input, B, *, upper, left=True, unitriangular=False)",
        "Solution X of A X = B for a triangular A.",
        smooth="no 0 on the diagonal of input",
    ),
    row(
        "triangular_solve", "torch Tensor", "(input, A, upper=True, transpose=False, unitriangular=False)",
        "Solution X of A X = input for a triangular A, and a copy of A.",
        smooth="no 0 on the diagonal of A",
    ),
    row(
        "lstsq", "linalg", "(input, b, rcond=None, *, driver=None)",
        "Least-squares solution of A X = B; also residuals, rank and singular values.",
        smooth="constant rank around input", at_kinks="Only the solution carries a gradient.",
        strings={"driver": "gels gelsy gelsd gelss"},
    ),
    row("tensorinv", "linalg", "(input, ind=2)", "Inverse with respect to tensordot.", smooth="invertible input"),
    row(
        "tensorsolve", "linalg", "(input, other, dims=None)", "Solution X of tensordot(A, X) = B.",
        smooth="invertible input",
    ),
    row(
        "matrix_power", "torch linalg Tensor", "(input, n)", "Matrix multiplied by itself n times.",
        smooth="everywhere; invertible input for n < 0", limits={"n": 100000},
    ),
    row("matrix_exp", "torch linalg Tensor", "(input)", "Exponential of a matrix."),
    row(
        "vander", "torch", "(x, N=None, increasing=False)", "Matrix of the powers of x, by default falling.",
        smooth="nowhere", differentiable=False, at_kinks="torch refuses the backward; linalg.vander has one.",
        grows="square",
    ),
    row("linalg.vander", "linalg.vander", "(x, *, N=None)", "Matrix of the rising powers of x.", grows="square"),
)
