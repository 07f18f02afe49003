"""Reductions, scans and normalizations that leave out the elements where a mask is false."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "masked",
    row(
        "masked.sum", "masked.sum", "(input, dim=None, *, keepdim=False, dtype=None, mask=None)",
        "Sum of the elements under the mask.",
    ),
    row(
        "masked.mean", "masked.mean", "(input, dim=None, *, keepdim=False, dtype=None, mask=None)",
        "Mean of the elements under the mask.",
    ),
    row(
        "masked.prod", "masked.prod", "(input, dim=None, *, keepdim=False, dtype=None, mask=None)",
        "Product of the elements under the mask.",
    ),
    row(
        "masked.var", "masked.var",
        "(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None)",
        "Variance of the elements under the mask.",
    ),
    row(
        "masked.std", "masked.std",
        "(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None)",
        "Standard deviation of the elements under the mask.",
        smooth="input not constant along dim", kinks="zero", at_kinks="NaN where the deviation is 0.",
    ),
    row(
        "masked.norm", "masked.norm", "(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None)",
        "Vector norm of the elements under the mask.",
        smooth="norm != 0; for ord <= 1 also input != 0, for infinite ord no ties", kinks="zero ties",
        at_kinks="torch takes 0 at zero; equal largest elements share the gradient evenly.",
    ),
    row(
        "masked.amax", "masked.amax", "(input, dim=None, *, keepdim=False, dtype=None, mask=None)",
        "Largest element under the mask.",
        smooth="no ties along dim", kinks="ties", at_kinks="Equal elements share the gradient evenly.",
    ),
    row(
        "masked.amin", "masked.amin", "(input, dim=None, *, keepdim=False, dtype=None, mask=None)",
        "Smallest element under the mask.",
        smooth="no ties along dim", kinks="ties", at_kinks="Equal elements share the gradient evenly.",
    ),
    row(
        "masked.median", "masked.median", "(input, dim=-1, *, keepdim=False, dtype=None, mask=None)",
        "Middle element under the mask (the lower of two).",
        smooth="no ties along dim", kinks="ties", at_kinks="One of the equal elements gets it all.",
    ),
    row(
        "masked.argmax", "masked.argmax", "(input, dim=None, *, keepdim=False, dtype=None, mask=None)",
        "Index of the largest element under the mask.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "masked.argmin", "masked.argmin", "(input, dim=None, *, keepdim=False, dtype=None, mask=None)",
        "Index of the smallest element under the mask.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "masked.logsumexp", "masked.logsumexp", "(input, dim=None, *, keepdim=False, dtype=None, mask=None)",
        "Logarithm of the sum of exponentials under the mask.",
    ),
    row(
        "masked.logaddexp", "masked.logaddexp", "(input, other, *, dtype=None, input_mask=None, other_mask=None)",
        "Logarithm of the sum of two exponentials, each under its mask.",
        pointwise=True,
    ),
    row(
        "masked.cumsum", "masked.cumsum", "(input, dim, *, dtype=None, mask=None)",
        "Running sum of the elements under the mask.",
    ),
    row(
        "masked.cumprod", "masked.cumprod", "(input, dim, *, dtype=None, mask=None)",
        "Running product of the elements under the mask.",
    ),
    row(
        "masked.softmax", "masked.softmax", "(input, dim, *, dtype=None, mask=None)",
        "Softmax over the elements under the mask.",
    ),
    row(
        "masked.log_softmax", "masked.log_softmax", "(input, dim, *, dtype=None, mask=None)",
        "Logarithm of the softmax over the elements under the mask.",
    ),
    row(
        "masked.softmin", "masked.softmin", "(input, dim, *, dtype=None, mask=None)",
        "Softmax of the negated elements under the mask.",
    ),
    row(
        "masked.normalize", "masked.normalize", "(input, ord, dim, *, eps=1e-12, dtype=None, mask=None)",
        "Elements under the mask divided by their norm along dim.",
        smooth="norm > eps", kinks="zero", at_kinks="torch divides by eps at a zero norm, a slope of 1 / eps.",
    ),
)
