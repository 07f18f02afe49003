"""Orthogonal polynomials of degree n at each element, for which torch has no derivative."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "polynomials",
    row("chebyshev_polynomial_t", "special", "(x, n)", "Chebyshev polynomial of the first kind, T."),
    row("chebyshev_polynomial_u", "special", "(x, n)", "Chebyshev polynomial of the second kind, U."),
    row("chebyshev_polynomial_v", "special", "(x, n)", "Chebyshev polynomial of the third kind, V."),
    row("chebyshev_polynomial_w", "special", "(x, n)", "Chebyshev polynomial of the fourth kind, W."),
    row(
        "shifted_chebyshev_polynomial_t",
        "special",
        "(x, n)",
        "Chebyshev polynomial of the first kind, moved to [0, 1].",
    ),
    row(
        "shifted_chebyshev_polynomial_u",
        "special",
        "(x, n)",
        "Chebyshev polynomial of the second kind, moved to [0, 1].",
    ),
    row(
        "shifted_chebyshev_polynomial_v",
        "special",
        "(x, n)",
        "Chebyshev polynomial of the third kind, moved to [0, 1].",
    ),
    row(
        "shifted_chebyshev_polynomial_w",
        "special",
        "(x, n)",
        "Chebyshev polynomial of the fourth kind, moved to [0, 1].",
    ),
    row("hermite_polynomial_h", "special", "(x, n)", "Hermite polynomial H, as physics defines it."),
    row("hermite_polynomial_he", "special", "(x, n)", "Hermite polynomial He, as probability theory defines it."),
    row("laguerre_polynomial_l", "special", "(x, n)", "Laguerre polynomial L."),
    row("legendre_polynomial_p", "special", "(x, n)", "Legendre polynomial P."),
    pointwise=True,
    differentiable=False,
    smooth="nowhere",
    limits={"n": 10000},
)
