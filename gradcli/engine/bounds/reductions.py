"""How many elements are left of a reduction, and how many a scan or a sort makes."""

from __future__ import annotations

import math
from typing import Any

import torch

from gradcli.engine.bounds.operands import Operands, Rule, integers, kept, largest, same, spread


def _dims(given: Operands) -> list[int]:
    return list(integers([given.get("dim", default=())]))


def _reduced(given: Operands) -> int:
    """One element without dimensions; with dim= one for each place of the others."""
    dims = _dims(given)
    return kept(given.first, dims) if dims else 1


def _twice(given: Operands) -> int:
    """Values with their indices, a variance with its mean."""
    return 2 * _reduced(given)


def _chosen(given: Operands) -> int:
    """max and min: of one tensor, along a dimension with indices, or of two tensors."""
    return spread(given) if len(given.tensors) > 1 else _twice(given)


def _to_size(given: Operands) -> int:
    return math.prod(integers([given.get("size", default=())]))


def _along_last(given: Operands) -> int:
    return 2 * kept(given.first, _dims(given) or [-1])


def _quantiles(given: Operands) -> int:
    q = given.get("q")
    return _reduced(given) * (q.numel() if isinstance(q, torch.Tensor) else 1)


def _matrices(given: Operands) -> int:
    """A number for each matrix, or for each place beside the dimensions given."""
    return kept(given.first, _dims(given) or [-2, -1][-given.first.dim() :])


def _segments(given: Operands) -> int:
    lengths = given.get("lengths", "offsets", "indices")
    places = lengths.shape[-1] if isinstance(lengths, torch.Tensor) else len(lengths)
    return places * kept(given.first, [given.whole("axis", default=0)])


def _rows_squared(given: Operands) -> int:
    return int(given.first.shape[0]) ** 2 if given.first.dim() > 1 else 1


def _beside(given: Operands) -> int:
    """norm_except_dim: one norm for each place of a dimension."""
    dim = given.whole("dim", default=0)
    return given.first.shape[dim] if dim >= 0 else 1


def _twice_same(given: Operands) -> int:
    return 2 * same(given)


def _differences(given: Operands) -> int:
    """diff() with what is put before and after."""
    return sum(one.numel() for one in given.tensors)


def _gradients(given: Operands) -> int:
    """A tensor of the same size for each dimension."""
    dims = _dims(given)
    return same(given) * max(len(dims) or given.first.dim(), 1)


def _top(given: Operands) -> int:
    return 2 * kept(given.first, [given.whole("dim", default=-1)]) * max(given.whole("k", default=1), 1)


def _distinct(given: Operands) -> int:
    """Values, where each went, and how often it occurs."""
    return 3 * same(given)


def _placed(given: Operands) -> int:
    """searchsorted and bucketize: an index for each value that is looked up."""
    value = given.get("input", "self")
    if isinstance(value, torch.Tensor):
        return value.numel()
    return kept(given.first, [-1])


def _bins(given: Operands) -> int:
    bins: Any = given.get("bins", default=100)
    return bins.numel() if isinstance(bins, torch.Tensor) else max(integers([bins]), default=100)


def _histogram(given: Operands) -> int:
    return 2 * _bins(given) + 1


def _histogramdd(given: Operands) -> int:
    """A bin for every choice of one bin in each dimension."""
    bins: Any = given.get("bins", default=1)
    if isinstance(bins, int):
        bins = [bins] * min(given.first.shape[-1], 64)
    counts = [one.numel() if isinstance(one, torch.Tensor) else one for one in bins]
    return math.prod(counts) + sum(counts) + len(counts)


def _counted(given: Operands) -> int:
    """bincount is as long as the largest value, or as minlength."""
    values = given.first
    most = int(values.max()) + 1 if values.numel() and not values.is_complex() else 0
    return max(most, given.whole("minlength", default=0), 1)


NAMES: dict[str, Rule] = {
    **dict.fromkeys(("var_mean", "std_mean", "aminmax", "median", "nanmedian"), _twice),
    **dict.fromkeys(("max", "min"), _chosen),
    **dict.fromkeys(("mode", "kthvalue", "masked.median"), _along_last),
    **dict.fromkeys(("quantile", "nanquantile"), _quantiles),
    **dict.fromkeys(("cov", "corrcoef"), _rows_squared),
    **dict.fromkeys(("trapezoid",), _along_last),
    "cumulative_trapezoid": spread, "sum_to_size": _to_size,
    **dict.fromkeys(("cummax", "cummin", "sort"), _twice_same),
    **dict.fromkeys(("argsort", "msort"), same),
    **dict.fromkeys(("unique", "unique_consecutive"), _distinct),
    **dict.fromkeys(("searchsorted", "bucketize"), _placed),
    **dict.fromkeys(("linalg.norm", "vector_norm", "norm", "frobenius_norm"), _reduced),
    **dict.fromkeys(("matrix_norm", "nuclear_norm"), _matrices),
    **dict.fromkeys(("masked.logaddexp", "masked.cumsum", "masked.cumprod", "masked.softmax", "masked.log_softmax",
                     "masked.softmin", "masked.normalize"), spread),
    "diff": _differences, "gradient": _gradients, "topk": _top, "segment_reduce": _segments,
    "norm_except_dim": _beside, "histc": _bins, "histogram": _histogram, "histogramdd": _histogramdd,
    "bincount": _counted,
}  # fmt: skip
FAMILIES: dict[str, Rule] = {"reductions": _reduced, "scans": same, "sorting": largest, "masked": _reduced}
