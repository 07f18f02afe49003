"""Sorting, ranking, searching in sorted values, and counting equal ones."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "sorting",
    row(
        "sort", "torch Tensor",
        "(input, dim=-1, descending=False) | (input, *, stable, dim=-1, descending=False)",
        "Sorted values along dim, and the indices they came from.",
        smooth="no ties along dim", kinks="ties", at_kinks="Equal elements are told apart by their place.",
    ),
    row(
        "argsort", "torch Tensor",
        "(input, dim=-1, descending=False) | (input, *, stable, dim=-1, descending=False)",
        "Indices that sort the elements along dim.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "msort", "torch Tensor", "(input)", "Values sorted along the first dimension.",
        smooth="no ties along dim", kinks="ties", at_kinks="Equal elements are told apart by their place.",
    ),
    row(
        "topk", "torch Tensor", "(input, k, dim=-1, largest=True, sorted=True)",
        "The k largest (or smallest) values along dim, and their indices.",
        smooth="no ties along dim", kinks="ties", at_kinks="The elements picked get it all.",
    ),
    row(
        "kthvalue", "torch Tensor", "(input, k, dim=-1, keepdim=False)",
        "The k-th smallest value along dim, and its index.",
        smooth="no ties along dim", kinks="ties", at_kinks="One of the equal elements gets it all.",
    ),
    row(
        "unique", "torch Tensor", "(input, sorted=True, return_inverse=False, return_counts=False, dim=None)",
        "Distinct values; on request also the inverse indices and the counts.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "unique_consecutive", "torch Tensor", "(input, return_inverse=False, return_counts=False, dim=None)",
        "Values without immediate repetitions.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "searchsorted", "torch",
        "(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None)"
        " | (sorted_sequence, self, *, out_int32=False, right=False, side=None, sorter=None)",
        "Where each value would be inserted into a sorted sequence.",
        smooth="nowhere", differentiable=False, strings={"side": "left right"},
    ),
    row(
        "bucketize", "torch",
        "(input, boundaries, *, out_int32=False, right=False) | (self, boundaries, *, out_int32=False, right=False)",
        "Number of the interval between boundaries that each value falls into.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "bincount", "torch Tensor", "(input, weights=None, minlength=0)",
        "How often each non-negative integer occurs, or the sum of its weights.",
        smooth="nowhere", differentiable=False, grows="values",
    ),
    row(
        "histc", "torch Tensor", "(input, bins=100, min=0, max=0)", "Number of elements in each of equal bins.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "histogram", "torch Tensor",
        "(input, bins=100, *, range=None, weight=None, density=False)",
        "Number or weight of the elements in each bin, and the bin edges.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "histogramdd", "torch", "(input, bins, range=None, weight=None, density=False)",
        "Histogram of points in several dimensions, and the bin edges.",
        smooth="nowhere", differentiable=False, grows="bins",
    ),
)
