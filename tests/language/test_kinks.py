"""What the vocabulary says of functions at their kinks is what torch does there."""

from __future__ import annotations

import math
from typing import Any

import pytest

import gradcli
from gradcli.language.vocabulary import functions

inf, nan = math.inf, math.nan
SMALL = 1e-12

# The name of a row, an expression, the value of A (and of B), and .grad of A (and of B) in float64.
CLAIMS: tuple[tuple[str, str, Any, Any], ...] = (
    ("div", "torch.div(A, 2, rounding_mode='floor')", 5, 0),
    ("remainder", "torch.remainder(A, B)", (4, 2), (1, -2)),
    ("fmod", "torch.fmod(A, B)", (4, 2), (1, -2)),
    ("pow", "A**0.5", 0, inf), ("pow", "torch.pow(A, B)", (-2, 2), (-4, nan)),
    ("float_power", "torch.float_power(A, 0.5)", 0, inf),
    ("sqrt", "sqrt(A)", 0, inf), ("rsqrt", "rsqrt(A)", 0, -inf), ("reciprocal", "reciprocal(A)", 0, -inf),
    ("abs", "abs(A)", 0, 0), ("copysign", "copysign(A, B)", (0, 2), (0, 0)),
    ("frexp", "frexp(A).mantissa", [2, -2, 0], [0.25, 0.25, 1]),
    ("log", "log(A)", 0, inf), ("log2", "log2(A)", 0, inf), ("log10", "log10(A)", 0, inf),
    ("log1p", "log1p(A)", -1, inf), ("xlogy", "xlogy(A, B)", (0, 0), (0, nan)),
    ("xlog1py", "special.xlog1py(A, B)", (0, -1), (0, nan)),
    ("logit", "logit(A)", [0, 1], [inf, inf]), ("logit", "logit(A, 0.2)", [0.1, 0.2, 0.9], [0, 6.25, 0]),
    ("entr", "special.entr(A)", 0, inf), ("asin", "asin(A)", [-1, 1], [inf, inf]),
    ("acos", "acos(A)", [-1, 1], [-inf, -inf]), ("atan2", "atan2(A, B)", (0, 0), (0, 0)),
    ("acosh", "acosh(A)", 1, inf), ("atanh", "atanh(A)", [-1, 1], [inf, inf]),
    ("hypot", "hypot(A, B)", (0, 0), (nan, nan)), ("floor", "floor(A)", 1, 0), ("ceil", "ceil(A)", 1, 0),
    ("round", "round(A)", 0.5, 0), ("trunc", "trunc(A)", 1, 0), ("frac", "frac(A)", 1, 1),
    ("sign", "sign(A)", 0, 0), ("sgn", "sgn(A)", 0, 0),
    ("fake_quantize_per_tensor_affine", "fake_quantize_per_tensor_affine(A, 0.1, 0, -5, 5)", [0.2, 0.9], [1, 0]),
    ("nextafter", "nextafter(A, B)", (1, 1), (0, 0)),
    ("clamp", "clamp(A, 0, 1)", [0, 1], [1, 1]), ("clamp_min", "clamp_min(A, B)", (1, 1), (1, 0)),
    ("clamp_max", "clamp_max(A, B)", (1, 1), (1, 0)), ("maximum", "maximum(A, B)", (1, 1), (0.5, 0.5)),
    ("minimum", "minimum(A, B)", (1, 1), (0.5, 0.5)), ("fmax", "fmax(A, B)", (1, 1), (1, 0)),
    ("fmin", "fmin(A, B)", (1, 1), (1, 0)), ("nan_to_num", "nan_to_num(A)", [nan, inf, 1], [0, 0, 1]),
    ("lgamma", "lgamma(A)", [0, -1], [-inf, nan]), ("digamma", "digamma(A)", 0, inf),
    ("erfinv", "erfinv(A)", [-1, 1], [inf, inf]), ("ndtri", "special.ndtri(A)", [0, 1], [inf, inf]),
    ("i0e", "special.i0e(A)", 0, 0), ("angle", "angle(A)", [0, -1], [0, 0]),
    ("polar", "torch.view_as_real(torch.polar(A, B))", (0, 1), (0, 0)),
    ("polar", "torch.polar(A, B).real", (-1, 1), (-math.cos(1), math.sin(1))),
    ("nansum", "nansum(A)", [nan, 1], [0, 1]), ("nanmean", "nanmean(A)", [nan, 1], [0, 1]),
    ("std", "std(A)", [1, 1], [0, 0]), ("std_mean", "std_mean(A)[0]", [1, 1], [0, 0]),
    ("max", "A.max()", [2, 2], [0.5, 0.5]), ("max", "A.max(0).values", [2, 2], [1, 0]),
    ("min", "A.min()", [2, 2], [0.5, 0.5]), ("min", "A.min(0).values", [2, 2], [1, 0]),
    ("amax", "amax(A)", [2, 2], [0.5, 0.5]), ("amin", "amin(A)", [2, 2], [0.5, 0.5]),
    ("aminmax", "aminmax(A).max", [2, 2], [0.5, 0.5]), ("median", "median(A)", [2, 2, 2], [1 / 3, 1 / 3, 1 / 3]),
    ("nanmedian", "nanmedian(A)", [2, 2, 2], [1 / 3, 1 / 3, 1 / 3]), ("mode", "mode(A).values", [2, 2, 1], [0, 1, 0]),
    ("norm", "torch.norm(A)", [0, 0], [0, 0]), ("norm", "torch.norm(A, inf)", [2, 2], [0.5, 0.5]),
    ("frobenius_norm", "frobenius_norm(A, 0)", [0, 0], [0, 0]),
    ("norm_except_dim", "norm_except_dim(A)", [[0, 0]], [[0, 0]]), ("dist", "dist(A, B)", (1, 1), (0, 0)),
    ("corrcoef", "corrcoef(A)[0, 1]", [[1, 1], [1, 2]], [[nan, nan], [nan, nan]]),
    ("segment_reduce", "segment_reduce(A, 'max', lengths=tensor([2]))", [2, 2], [0.5, 0.5]),
    ("cummax", "cummax(A, 0).values[1]", [2, 2], [0, 1]), ("cummin", "cummin(A, 0).values[1]", [2, 2], [0, 1]),
    ("renorm", "renorm(A, 2, 0, 5)", [[3, 4]], [[1, 1]]),
    ("masked.std", "masked.std(A, 0)", [1, 1], [nan, nan]), ("masked.norm", "masked.norm(A, 2, 0)", [0, 0], [0, 0]),
    ("masked.amax", "masked.amax(A, 0)", [2, 2], [0.5, 0.5]),
    ("masked.normalize", "masked.normalize(A, 2, 0, eps=0.5)", [0, 0], [2, 2]),
    ("cdist", "cdist(A, B)", ([[1, 1]], [[1, 1]]), ([[0, 0]], [[0, 0]])),
    ("linalg.norm", "linalg.norm(A)", [0, 0], [0, 0]), ("vector_norm", "linalg.vector_norm(A)", [0, 0], [0, 0]),
    ("matrix_norm", "linalg.matrix_norm(A)", [[0, 0]], [[0, 0]]),
    ("det", "det(A)", [[1, 1], [1, 1]], [[0, 0], [0, 0]]),
    ("eigh", "linalg.eigh(A).eigenvectors[0, 1]", [[1, 0], [0, 1]], [[nan, nan], [nan, nan]]),
    ("scatter_reduce", "scatter_reduce(A, 0, tensor([0]), B, 'amax')", ([2], [2]), ([0.5], [0.5])),
    ("index_reduce", "index_reduce(A, 0, tensor([0]), B, 'amax')", ([2], [2]), ([0.5], [0.5])),
    ("bernoulli", "bernoulli(A)", 0.5, 0), ("normal", "torch.normal(A, 1.0)", 0.5, 0), ("poisson", "poisson(A)", 2, 0),
    ("relu", "relu(A)", 0, 0), ("relu6", "F.relu6(A)", [0, 6], [0, 0]),
    ("leaky_relu", "F.leaky_relu(A, 0.3)", 0, 0.3), ("selu", "selu(A)", 0, 1.7580993408473766),
    ("elu", "F.elu(A, 2.0)", 0, 2), ("smooth_l1_loss", "F.smooth_l1_loss(A, B, beta=0.0)", (1, 1), (0, 0)),
    ("softshrink", "F.softshrink(A)", [-0.5, 0.5], [0, 0]), ("hardshrink", "hardshrink(A)", [-0.5, 0.5], [0, 0]),
    ("hardtanh", "F.hardtanh(A)", [-1, 1], [0, 0]), ("hardsigmoid", "F.hardsigmoid(A)", [-3, 3], [0, 0]),
    ("hardswish", "F.hardswish(A)", [-3, 3], [0, 1]), ("threshold", "threshold(A, 1, 5)", 1, 0),
    ("prelu", "prelu(A, tensor([0.3]).double())", [0], [0.3]), ("rrelu", "F.rrelu(A, 0.2, 0.2)", 0, 0.2),
    ("normalize", "F.normalize(A, dim=0, eps=0.5)", [0, 0], [2, 2]), ("l1_loss", "F.l1_loss(A, B)", (1, 1), (0, 0)),
    ("hinge_embedding_loss", "F.hinge_embedding_loss(A, tensor(-1))", 1, -1),
    ("margin_ranking_loss", "F.margin_ranking_loss(A, B, tensor(1))", (1, 1), (-1, 1)),
    ("multi_margin_loss", "F.multi_margin_loss(A, tensor(0))", [2, 1], [0, 0]),
    ("max_pool1d", "max_pool1d(A, 2)", [[2, 2]], [[1, 0]]),
    ("max_pool2d", "max_pool2d(A, 2)", [[[2, 2], [2, 2]]], [[[1, 0], [0, 0]]]),
    ("adaptive_max_pool1d", "F.adaptive_max_pool1d(A, 1)", [[2, 2]], [[1, 0]]),
    ("lp_pool1d", "F.lp_pool1d(A, 2, 2)", [[0, 0]], [[0, 0]]),
    ("pairwise_distance", "pairwise_distance(A, B, eps=0.1)", ([1], [1]), ([1], [-1])),
    ("pdist", "pdist(A)", [[1, 1], [1, 1]], [[0, 0], [0, 0]]),
    ("rnn_relu_cell", "torch.rnn_relu_cell(A, zeros(1, 1), ones(1, 1), ones(1, 1))", [[0]], [[0]]),
)  # fmt: skip


@pytest.mark.parametrize(("name", "text", "at", "slopes"), CLAIMS, ids=[one[1] for one in CLAIMS])
def test_torch_does_what_is_said(name: str, text: str, at: Any, slopes: Any) -> None:
    assert any(one.name == name and one.at_kinks for one in functions()), name
    values, wanted = (at, slopes) if isinstance(at, tuple) else ((at,), (slopes,))
    given = dict(zip("AB", values, strict=False))
    answer = gradcli.grad(text, at=given, dtype="float64", notes=False)
    for letter, slope in zip(given, wanted, strict=True):
        found = answer.inputs[letter].grad
        assert found is not None
        assert _flat((found + 0).tolist()) == pytest.approx(_flat(slope), abs=SMALL, nan_ok=True), letter


def _flat(value: Any) -> list[float]:
    return [one for part in value for one in _flat(part)] if isinstance(value, list) else [value]


def test_what_is_said_is_a_sentence() -> None:
    for said in (one.at_kinks for one in functions() if one.at_kinks):
        assert said.endswith("."), said
        assert said[0].isupper() or said.startswith(("torch ", "view")), said
