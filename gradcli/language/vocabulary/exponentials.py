"""Exponentials and logarithms of each element, and what is built from them."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "exponentials",
    row("exp", "torch Tensor Tensor_", "(input)", "e to the power of each element."),
    row("exp2", "torch special Tensor Tensor_", "(input)", "Two to the power of each element."),
    row("expm1", "torch special Tensor Tensor_", "(input)", "exp(x) - 1 of each element, accurate near 0."),
    row(
        "log", "torch Tensor Tensor_", "(input)", "Natural logarithm of each element.", smooth="input > 0", kinks="0",
        at_kinks="The value is -inf and the slope inf at 0.",
    ),
    row(
        "log2", "torch Tensor Tensor_", "(input)", "Logarithm to base 2 of each element.", smooth="input > 0",
        kinks="0", at_kinks="The value is -inf and the slope inf at 0.",
    ),
    row(
        "log10", "torch Tensor Tensor_", "(input)", "Logarithm to base 10 of each element.", smooth="input > 0",
        kinks="0", at_kinks="The value is -inf and the slope inf at 0.",
    ),
    row(
        "log1p", "torch special Tensor Tensor_", "(input)", "log(1 + x) of each element, accurate near 0.",
        smooth="input > -1", kinks="-1", at_kinks="The value is -inf and the slope inf at -1.",
    ),
    row("logaddexp", "torch Tensor", "(input, other)", "log(exp(input) + exp(other)), without overflow."),
    row("logaddexp2", "torch Tensor", "(input, other)", "log2(2**input + 2**other), without overflow."),
    row(
        "xlogy", "torch special Tensor Tensor_", "(input, other) | (self, other)",
        "input * log(other), and 0 where input is 0.", smooth="other > 0",
        at_kinks="Where both are 0 torch takes 0 for input and gives nan for other.",
    ),
    row(
        "xlog1py", "special", "(input, other) | (self, other)", "input * log(1 + other), and 0 where input is 0.",
        smooth="other > -1", at_kinks="At input 0 and other -1 torch takes 0 for input and gives nan for other.",
    ),
    row("sigmoid", "torch F Tensor Tensor_ special.expit", "(input)", "1 / (1 + exp(-x)) of each element."),
    row(
        "logit", "torch special Tensor Tensor_", "(input, eps=None)",
        "log(x / (1 - x)) of each element, clamped to [eps, 1 - eps] first if eps is given.",
        smooth="0 < input < 1, and not at eps or 1 - eps", kinks="0 1",
        at_kinks="The slope is inf at 0 and 1; with eps it is 0 outside and the inner one at the bounds.",
    ),
    row(
        "entr", "special", "(input)", "Entropy term -x log(x) of each element, and 0 at 0.", smooth="input > 0",
        kinks="0", at_kinks="The slope is inf at 0.",
    ),
    pointwise=True,
)
