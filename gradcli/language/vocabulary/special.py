"""Special functions of each element: gamma, error, zeta, Airy and Bessel functions."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "special",
    row(
        "lgamma", "torch Tensor Tensor_ special.gammaln", "(input)", "Logarithm of the absolute gamma function.",
        smooth="input is not 0, -1, -2, ...", kinks="0",
        at_kinks="The value is inf there; torch gives -inf at 0 and nan at negative integers.",
    ),
    row(
        "digamma", "torch special Tensor Tensor_ special.psi", "(input)",
        "Derivative of the logarithm of the gamma function.", smooth="input is not 0, -1, -2, ...", kinks="0",
        at_kinks="The slope is inf at 0, and a huge number at negative integers.",
    ),
    row(
        "polygamma", "torch special", "(n, input)", "n-th derivative of the digamma function.",
        smooth="input is not 0, -1, -2, ...",
    ),
    row(
        "polygamma", "Tensor Tensor_", "(input, n)", "n-th derivative of the digamma function.",
        smooth="input is not 0, -1, -2, ...",
    ),
    row(
        "mvlgamma", "torch Tensor Tensor_ special.multigammaln", "(input, p)",
        "Logarithm of the multivariate gamma function in p dimensions.", smooth="input > (p - 1) / 2",
        limits={"p": 1000},
    ),
    row(
        "igamma", "torch Tensor Tensor_ special.gammainc", "(input, other)",
        "Regularized lower incomplete gamma function.", smooth="other > 0; torch has no derivative for input",
    ),
    row(
        "igammac", "torch Tensor Tensor_ special.gammaincc", "(input, other)",
        "Regularized upper incomplete gamma function.", smooth="other > 0; torch has no derivative for input",
    ),
    row(
        "zeta", "special", "(input, other) | (self, other)",
        "Hurwitz zeta function: the sum of (k + other)**-input over k = 0, 1, ...",
        smooth="input > 1 and other > 0; torch has no derivative for input",
    ),
    row("erf", "torch special Tensor Tensor_", "(input)", "Error function of each element."),
    row("erfc", "torch special Tensor Tensor_", "(input)", "1 - erf(x) of each element, accurate for large x."),
    row("erfcx", "special", "(input)", "exp(x**2) * erfc(x) of each element."),
    row(
        "erfinv", "torch special Tensor Tensor_", "(input)", "Inverse of the error function.", smooth="-1 < input < 1",
        kinks="-1 1", at_kinks="The value is infinite and the slope inf at -1 and 1.",
    ),
    row("ndtr", "special", "(input)", "Probability that a standard normal variable is below each element."),
    row("log_ndtr", "special", "(input)", "Logarithm of ndtr, accurate far below 0."),
    row(
        "ndtri", "special", "(input)", "Inverse of ndtr: the standard normal quantile.", smooth="0 < input < 1",
        kinks="0 1", at_kinks="The value is infinite and the slope inf at 0 and 1.",
    ),
    row("i0", "torch special Tensor Tensor_", "(input)", "Modified Bessel function of the first kind, order 0."),
    row(
        "i0e", "special", "(input)", "exp(-abs(x)) * i0(x) of each element.", smooth="input != 0", kinks="0",
        at_kinks="torch takes 0 at 0.",
    ),
    row("i1", "special", "(input)", "Modified Bessel function of the first kind, order 1."),
    row("i1e", "special", "(input)", "exp(-abs(x)) * i1(x) of each element."),
    pointwise=True,
) + family(
    "special",
    row("airy_ai", "special", "(input)", "Airy function Ai of each element."),
    row("bessel_j0", "special", "(input)", "Bessel function of the first kind, order 0."),
    row("bessel_j1", "special", "(input)", "Bessel function of the first kind, order 1."),
    row("bessel_y0", "special", "(input)", "Bessel function of the second kind, order 0."),
    row("bessel_y1", "special", "(input)", "Bessel function of the second kind, order 1."),
    row(
        "modified_bessel_i0", "special", "(input)",
        "Modified Bessel function of the first kind, order 0, without a derivative.",
    ),
    row(
        "modified_bessel_i1", "special", "(input)",
        "Modified Bessel function of the first kind, order 1, without a derivative.",
    ),
    row("modified_bessel_k0", "special", "(input)", "Modified Bessel function of the second kind, order 0."),
    row("modified_bessel_k1", "special", "(input)", "Modified Bessel function of the second kind, order 1."),
    row("scaled_modified_bessel_k0", "special", "(input)", "exp(x) * modified_bessel_k0(x) of each element."),
    row("scaled_modified_bessel_k1", "special", "(input)", "exp(x) * modified_bessel_k1(x) of each element."),
    row("spherical_bessel_j0", "special", "(input)", "Spherical Bessel function of the first kind, order 0."),
    pointwise=True, differentiable=False, smooth="nowhere",
)
