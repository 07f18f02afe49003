"""Reductions: many elements to one, over a whole tensor or along dimensions."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "reductions",
    row(
        "sum", "torch Tensor", "(input, *, dtype=None) | (input, dim, keepdim=False, *, dtype=None)",
        "Sum of the elements, over all or given dimensions.",
    ),
    row(
        "nansum", "torch Tensor", "(input, dim=None, keepdim=False, *, dtype=None)",
        "Sum of the elements that are not NaN.",
        at_kinks="torch passes 0 to NaN elements.",
    ),
    row(
        "mean", "torch Tensor", "(input, *, dtype=None) | (input, dim, keepdim=False, *, dtype=None)",
        "Mean of the elements, over all or given dimensions.",
    ),
    row(
        "nanmean", "torch Tensor", "(input, dim=None, keepdim=False, *, dtype=None)",
        "Mean of the elements that are not NaN.",
        at_kinks="torch passes 0 to NaN elements.",
    ),
    row(
        "prod", "torch Tensor", "(input, *, dtype=None) | (input, dim, keepdim=False, *, dtype=None)",
        "Product of the elements, over all or one dimension.",
    ),
    row(
        "var", "torch Tensor",
        "(input, unbiased=True) | (input, dim=None, *, correction=1, keepdim=False)"
        " | (input, dim, unbiased=True, keepdim=False)",
        "Variance of the elements, over all or given dimensions.",
    ),
    row(
        "std", "torch Tensor",
        "(input, unbiased=True) | (input, dim=None, *, correction=1, keepdim=False)"
        " | (input, dim, unbiased=True, keepdim=False)",
        "Standard deviation of the elements, over all or given dimensions.",
        smooth="input not constant along dim", kinks="zero", at_kinks="torch takes 0 where the deviation is 0.",
    ),
    row(
        "var_mean", "torch",
        "(input, unbiased=True) | (input, dim=None, *, correction=1, keepdim=False)"
        " | (input, dim, unbiased=True, keepdim=False)",
        "Variance and mean, as a pair.",
    ),
    row(
        "std_mean", "torch",
        "(input, unbiased=True) | (input, dim=None, *, correction=1, keepdim=False)"
        " | (input, dim, unbiased=True, keepdim=False)",
        "Standard deviation and mean, as a pair.",
        smooth="input not constant along dim", kinks="zero", at_kinks="torch takes 0 where the deviation is 0.",
    ),
    row(
        "max", "torch Tensor", "(input) | (input, other) | (input, dim, keepdim=False)",
        "Largest element, values and indices along dim, or the larger of two tensors.",
        smooth="no ties along dim", kinks="ties",
        at_kinks="With dim the first of the equal elements gets it all; else they share it evenly.",
    ),
    row(
        "min", "torch Tensor", "(input) | (input, other) | (input, dim, keepdim=False)",
        "Smallest element, values and indices along dim, or the smaller of two tensors.",
        smooth="no ties along dim", kinks="ties",
        at_kinks="With dim the first of the equal elements gets it all; else they share it evenly.",
    ),
    row(
        "amax", "torch Tensor", "(input, dim=None, keepdim=False)", "Largest element, over all or given dimensions.",
        smooth="no ties along dim", kinks="ties", at_kinks="Equal elements share the gradient evenly.",
    ),
    row(
        "amin", "torch Tensor", "(input, dim=None, keepdim=False)", "Smallest element, over all or given dimensions.",
        smooth="no ties along dim", kinks="ties", at_kinks="Equal elements share the gradient evenly.",
    ),
    row(
        "aminmax", "torch Tensor", "(input, *, dim=None, keepdim=False)", "Smallest and largest element, as a pair.",
        smooth="no ties along dim", kinks="ties", at_kinks="Equal elements share the gradient evenly.",
    ),
    row(
        "argmax", "torch Tensor", "(input, dim=None, keepdim=False)", "Index of the largest element.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "argmin", "torch Tensor", "(input, dim=None, keepdim=False)", "Index of the smallest element.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "median", "torch Tensor", "(input) | (input, dim, keepdim=False)",
        "Middle element (the lower of two), or values and indices along dim.",
        smooth="no ties along dim", kinks="ties",
        at_kinks="With dim one of the equal elements gets it all; else they share it evenly.",
    ),
    row(
        "nanmedian", "torch Tensor", "(input) | (input, dim, keepdim=False)",
        "Middle element of those that are not NaN.",
        smooth="no ties along dim", kinks="ties",
        at_kinks="With dim one of the equal elements gets it all; else they share it evenly.",
    ),
    row(
        "mode", "torch Tensor", "(input, dim=-1, keepdim=False)", "Most frequent value along dim, and an index of it.",
        smooth="no ties along dim", kinks="ties", at_kinks="The last of the equal elements gets it all.",
    ),
    row(
        "quantile", "torch Tensor", "(input, q, dim=None, keepdim=False, *, interpolation='linear')",
        "Quantiles q of the elements, 0 <= q <= 1.",
        smooth="no ties along dim, q between two ranks", kinks="ties",
        at_kinks="The ranks used get it all: equal elements do not share.",
        strings={"interpolation": "linear lower higher midpoint nearest"},
    ),
    row(
        "nanquantile", "torch Tensor", "(input, q, dim=None, keepdim=False, *, interpolation='linear')",
        "Quantiles q of the elements that are not NaN.",
        smooth="no ties along dim, q between two ranks", kinks="ties",
        at_kinks="The ranks used get it all: equal elements do not share.",
        strings={"interpolation": "linear lower higher midpoint nearest"},
    ),
    row(
        "logsumexp", "torch special Tensor", "(input, dim, keepdim=False)",
        "Logarithm of the sum of exponentials along dim, without overflow.",
    ),
    row(
        "norm", "torch Tensor", "(input, p='fro', dim=None, keepdim=False, dtype=None)",
        "Vector or matrix norm (linalg.norm is its successor).",
        smooth="norm != 0; for p <= 1 also input != 0, for infinite p no ties", kinks="zero ties",
        at_kinks="torch takes 0 at zero; equal largest elements share the gradient evenly.",
        strings={"p": "fro nuc"},
    ),
    row(
        "dist", "torch Tensor", "(input, other, p=2)", "The p-norm of input - other.",
        smooth="input != other", kinks="zero", at_kinks="torch takes 0 at a zero difference.",
    ),
    row(
        "cov", "torch Tensor", "(input, *, correction=1, fweights=None, aweights=None)",
        "Covariance matrix; rows are variables, columns observations.",
        grows="square",
    ),
    row(
        "corrcoef", "torch Tensor", "(input)", "Correlation matrix; rows are variables, columns observations.",
        smooth="rows not constant", at_kinks="NaN for a constant row.", grows="square",
    ),
    row(
        "all", "torch Tensor", "(input, dim=None, keepdim=False)", "Whether all elements are true.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "any", "torch Tensor", "(input, dim=None, keepdim=False)", "Whether at least one element is true.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "count_nonzero", "torch Tensor", "(input, *dim)", "Number of elements that are not 0.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "trapezoid trapz", "torch", "(y, *, dx=1, dim=-1) | (y, x, *, dim=-1)",
        "Integral of y along dim by the trapezoidal rule.",
    ),
    row(
        "cumulative_trapezoid", "torch", "(y, *, dx=1, dim=-1) | (y, x, *, dim=-1)",
        "Running integral of y along dim by the trapezoidal rule.",
    ),
    row("sum_to_size", "Tensor", "(input, *size)", "Sum down to a size that broadcasts to this one."),
    row(
        "segment_reduce", "torch",
        "(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, initial=None)",
        "Reduction of consecutive segments of the first dimension.",
        smooth="no ties within a segment for max and min", kinks="ties",
        at_kinks="Equal elements share the gradient evenly.",
        strings={"reduce": "sum mean max min prod"},
    ),
)
