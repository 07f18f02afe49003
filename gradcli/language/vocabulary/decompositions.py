"""Decompositions of matrices into factors, and the solvers that take the factors."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "decompositions",
    row("cholesky", "torch Tensor", "(input, upper=False)", "Cholesky factor.", smooth="positive-definite input"),
    row(
        "linalg.cholesky", "linalg.cholesky", "(input, *, upper=False)", "Cholesky factor.",
        smooth="positive-definite input",
    ),
    row(
        "cholesky_ex", "linalg", "(input, *, upper=False, check_errors=False)",
        "Cholesky factor, and a code that tells of failure.",
        smooth="positive-definite input", at_kinks="NaN where the factorization failed.",
    ),
    row(
        "cholesky_inverse", "torch Tensor", "(input, upper=False)", "Inverse of A from its Cholesky factor input.",
        smooth="no 0 on the diagonal of input",
    ),
    row(
        "cholesky_solve", "torch Tensor", "(input, input2, upper=False)",
        "Solution X of A X = input from the Cholesky factor of A.",
        smooth="no 0 on the diagonal of input2",
    ),
    row(
        "qr", "torch Tensor", "(input, some=True)", "QR decomposition into an orthogonal and a triangular factor.",
        smooth="independent leading columns",
        at_kinks="torch refuses the backward for some=False with more rows than columns.",
        grows="square",
    ),
    row(
        "linalg.qr", "linalg.qr", "(A, mode='reduced')", "QR decomposition into an orthogonal and a triangular factor.",
        smooth="independent leading columns",
        at_kinks="torch refuses the backward for mode 'r', and for 'complete' with more rows than columns.",
        grows="square", strings={"mode": "reduced complete r"},
    ),
    row(
        "svd", "torch Tensor", "(input, some=True, compute_uv=True)", "Singular value decomposition U, S, V.",
        smooth="distinct singular values", kinks="ties",
        at_kinks="NaN through U and V at equal singular values; S has a finite subgradient.",
        grows="square",
    ),
    row(
        "linalg.svd", "linalg.svd", "(A, full_matrices=True, *, driver=None)", "Singular value decomposition U, S, Vh.",
        smooth="distinct singular values", kinks="ties",
        at_kinks="NaN through U and Vh at equal singular values; S has a finite subgradient.",
        grows="square", strings={"driver": "gesvd gesvdj gesvda"},
    ),
    row(
        "svdvals", "linalg", "(A, *, driver=None)", "Singular values, largest first.",
        smooth="distinct singular values != 0", kinks="ties zero",
        at_kinks="torch takes a finite subgradient, that of the singular vectors found.",
        strings={"driver": "gesvd gesvdj gesvda"},
    ),
    row(
        "svd_lowrank", "torch", "(A, q=6, niter=2, M=None)", "Approximate leading q singular values and vectors.",
        smooth="distinct singular values", kinks="ties", at_kinks="NaN at equal singular values.",
        random=True, limits={"niter": 1000},
    ),
    row(
        "pca_lowrank", "torch", "(A, q=None, center=True, niter=2)",
        "Approximate leading q principal components of the rows.",
        smooth="distinct singular values", kinks="ties", at_kinks="NaN at equal singular values.",
        random=True, limits={"niter": 1000},
    ),
    row(
        "eig", "linalg", "(input)", "Eigenvalues and eigenvectors of a square matrix, as complex numbers.",
        smooth="distinct eigenvalues", kinks="ties",
        at_kinks="NaN through the vectors at equal eigenvalues; a loss that depends on their phase is refused.",
    ),
    row(
        "eigvals", "linalg", "(input)", "Eigenvalues of a square matrix, as complex numbers.",
        smooth="distinct eigenvalues", kinks="ties",
        at_kinks="At equal eigenvalues torch uses the eigenvectors found; defective matrices give huge values.",
    ),
    row(
        "eigh", "linalg", "(input, UPLO='L')", "Eigenvalues and eigenvectors of a symmetric or Hermitian matrix.",
        smooth="distinct eigenvalues", kinks="ties", at_kinks="NaN through the vectors at equal eigenvalues.",
        strings={"UPLO": "L U l u"},
    ),
    row(
        "eigvalsh", "linalg", "(input, UPLO='L')", "Eigenvalues of a symmetric or Hermitian matrix, smallest first.",
        smooth="distinct eigenvalues", kinks="ties", at_kinks="At equal eigenvalues torch uses the eigenvectors found.",
        strings={"UPLO": "L U l u"},
    ),
    row(
        "lobpcg", "torch",
        "(A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None)",
        "A few extreme eigenvalues and eigenvectors of a symmetric positive-definite matrix.",
        smooth="distinct eigenvalues", random=True, strings={"method": "basic ortho"}, limits={"niter": 10000},
    ),
    row(
        "lu", "torch Tensor", "(A, pivot=True, get_infos=False)", "Compact LU factors and pivots.",
        smooth="no ties between pivots, independent leading columns", kinks="ties",
        at_kinks="The pivots found are held fixed.",
    ),
    row(
        "linalg.lu", "linalg.lu", "(A, *, pivot=True)", "LU decomposition P, L, U.",
        smooth="no ties between pivots, independent leading columns", kinks="ties",
        at_kinks="The pivots found are held fixed.",
        grows="square",
    ),
    row(
        "lu_factor", "linalg", "(A, *, pivot=True)", "Compact LU factors and pivots.",
        smooth="no ties between pivots, independent leading columns", kinks="ties",
        at_kinks="The pivots found are held fixed.",
    ),
    row(
        "lu_factor_ex", "linalg", "(A, *, pivot=True, check_errors=False)",
        "Compact LU factors, pivots, and a code that tells of failure.",
        smooth="no ties between pivots, independent leading columns", kinks="ties",
        at_kinks="The pivots found are held fixed; NaN for a singular matrix.",
    ),
    row(
        "lu_unpack", "torch", "(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True)",
        "P, L and U from compact LU factors and pivots.",
        grows="square",
    ),
    row(
        "lu_solve", "torch Tensor", "(input, LU_data, LU_pivots)", "Solution X of A X = input from LU factors of A.",
        smooth="no 0 on the diagonal of LU_data",
    ),
    row(
        "linalg.lu_solve", "linalg.lu_solve", "(LU, pivots, B, *, left=True, adjoint=False)",
        "Solution X of A X = B from LU factors of A.",
        smooth="no 0 on the diagonal of LU",
    ),
    row(
        "ldl_factor", "linalg", "(input, *, hermitian=False)", "Compact LDL factors of a symmetric matrix, and pivots.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "ldl_factor_ex", "linalg", "(input, *, hermitian=False, check_errors=False)",
        "Compact LDL factors, pivots, and a code that tells of failure.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "ldl_solve", "linalg", "(LD, pivots, B, *, hermitian=False)", "Solution X of A X = B from LDL factors of A.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "geqrf", "torch Tensor", "(input)", "QR decomposition as Householder reflectors.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "householder_product", "linalg torch.orgqr Tensor.orgqr", "(input, tau) | (input, input2)",
        "Leading columns of a product of Householder reflectors.",
        smooth="tau * |v|**2 != 1 for each reflector v", at_kinks="NaN where tau * |v|**2 is 1.",
    ),
    row(
        "ormqr", "torch Tensor", "(input, input2, input3, left=True, transpose=False)",
        "Product of Householder reflectors and a matrix.",
        smooth="input2 * |v|**2 != 1 for each reflector v", at_kinks="NaN where input2 * |v|**2 is 1.",
    ),
)
