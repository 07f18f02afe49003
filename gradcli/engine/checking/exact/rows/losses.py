"""Losses: a term for each pair of a prediction and a target, and their mean or sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import torch

from gradcli.engine.checking.exact.array import Array, array, each
from gradcli.engine.checking.exact.number import Unknown
from gradcli.engine.checking.exact.rows.elementary import ZERO
from gradcli.engine.checking.exact.rows.layers import log_softmax
from gradcli.engine.checking.exact.rows.norms import cosine, vector_norm
from gradcli.engine.checking.exact.rows.special import softplus

WORDS = ("none", "mean", "sum")  # torch's numbers for them


def reduced(terms: Array, reduction: Any, weight: Any = None) -> Array:
    """The terms themselves, their mean, or their sum."""
    how = reduction if isinstance(reduction, str) else WORDS[reduction]
    weighted = terms if weight is None else terms * array(weight)
    if how == "none":
        return weighted
    if how == "sum":
        return weighted.sum()
    return weighted.mean()


def _loss(term: Callable[..., Any], *, mean_of_weights: bool = False) -> Callable[..., Array]:
    """A row for a loss of pairs; further parameters are handed to the term."""

    def loss(input: Any, target: Any, weight: Any = None, reduction: Any = "mean", **given: Any) -> Array:
        terms = each(lambda x, y: term(x, y, **given), input, target)
        if mean_of_weights and weight is not None and reduction in ("mean", 1):
            return (terms * array(weight)).sum() / array(weight).sum()
        return reduced(terms, reduction, weight)

    return loss


def _smooth(x: Any, y: Any, beta: Any = 1.0) -> Any:
    away = abs(x - y)
    return away * away / (2 * mp.mpf(beta)) if away < beta else away - mp.mpf(beta) / 2


def _huber(x: Any, y: Any, delta: Any = 1.0) -> Any:
    away = abs(x - y)
    return away * away / 2 if away <= delta else delta * (away - mp.mpf(delta) / 2)


def _cross_term(x: Any, y: Any) -> Any:
    """torch holds both logarithms at or above -100."""
    low = mp.mpf(-100)

    def log(value: Any) -> Any:
        return max(mp.log(value), low) if value > 0 else low

    return -(y * log(x) if y else ZERO) - ((1 - y) * log(1 - x) if y != 1 else ZERO)


def _with_logits(input: Any, target: Any, weight: Any = None, reduction: Any = "mean", pos_weight: Any = None) -> Array:
    def term(x: Any, y: Any, w: Any) -> Any:
        return (1 - y) * x + (1 + (w - 1) * y) * softplus(-x, 1, mp.inf)

    return reduced(each(term, input, target, 1 if pos_weight is None else pos_weight), reduction, weight)


def _divergence(input: Any, target: Any, reduction: Any = "mean", log_target: Any = False) -> Array:
    def term(x: Any, y: Any) -> Any:
        if log_target:
            return mp.exp(y) * (y - x)
        return (y * mp.log(y) if y else ZERO) - y * x

    terms = each(term, input, target)
    if reduction == "batchmean":
        return terms.sum() / terms.shape[0]
    return reduced(terms, reduction)


def _poisson(
    input: Any, target: Any, log_input: Any = True, full: Any = False, eps: Any = 1e-8, reduction: Any = "mean"
) -> Array:
    if full:
        raise Unknown
    small = mp.mpf(eps)
    return reduced(
        each(lambda x, y: mp.exp(x) - y * x if log_input else x - y * mp.log(x + small), input, target), reduction
    )


def _gaussian(input: Any, target: Any, var: Any, full: Any = False, eps: Any = 1e-6, reduction: Any = "mean") -> Array:
    extra = mp.log(2 * mp.pi) / 2 if full else ZERO
    small = mp.mpf(eps)

    def term(x: Any, y: Any, v: Any) -> Any:
        held = max(v, small)
        return (mp.log(held) + (x - y) ** 2 / held) / 2 + extra

    return reduced(each(term, input, target, var), reduction)


def _likelihood(
    input: Any, target: Any, weight: Any = None, ignore_index: Any = -100, reduction: Any = "mean"
) -> Array:
    """Of the class that is the target; classes stand in the second dimension, or in the only one."""
    scores = array(input)
    if not isinstance(target, torch.Tensor) or target.is_floating_point():
        raise Unknown
    dim = 1 if len(scores.shape) > 1 else 0
    kept = target != ignore_index
    index = torch.where(kept, target, 0)
    chosen = scores.moved(lambda places: places.gather(dim, index.unsqueeze(dim)).squeeze(dim))
    scale = array(kept.double()) if weight is None else array(weight).at(index) * array(kept.double())
    terms = -(chosen * scale)
    if reduction in ("mean", 1):
        return terms.sum() / scale.sum()
    return reduced(terms, reduction)


def _cross_entropy(
    input: Any, target: Any, weight: Any = None, ignore_index: Any = -100, reduction: Any = "mean",
    label_smoothing: Any = 0.0,
) -> Array:  # fmt: skip
    scores = array(input)
    dim = 1 if len(scores.shape) > 1 else 0
    logarithms = log_softmax(scores, dim)
    if isinstance(target, torch.Tensor) and not target.is_floating_point():
        if label_smoothing:
            raise Unknown
        return _likelihood(logarithms, target, weight, ignore_index, reduction)
    if weight is not None:
        raise Unknown
    classes = scores.shape[dim]
    smoothing = mp.mpf(label_smoothing)
    wanted = each(lambda y: y * (1 - smoothing) + smoothing / classes, target)
    terms = -(logarithms * wanted).sum(dim)
    if reduction in ("mean", 1):
        return terms.sum() / (len(scores.items) // classes)
    return reduced(terms, reduction)


def _hinge(x: Any, y: Any, margin: Any = 1.0) -> Any:
    return x if y == 1 else max(ZERO, margin - x)


def _ranking(input1: Any, input2: Any, target: Any, margin: Any = 0.0, reduction: Any = "mean") -> Array:
    return reduced(each(lambda a, b, y: max(ZERO, -y * (a - b) + margin), input1, input2, target), reduction)


def _cosine(input1: Any, input2: Any, target: Any, margin: Any = 0.0, reduction: Any = "mean") -> Array:
    if len(array(input1).shape) != 2:
        raise Unknown
    alike = cosine(array(input1), array(input2), 1, 1e-12)
    return reduced(each(lambda c, y: 1 - c if y == 1 else max(ZERO, c - margin), alike, target), reduction)


def _triplet(
    anchor: Any, positive: Any, negative: Any, margin: Any = 1.0, p: Any = 2.0, eps: Any = 1e-6, swap: Any = False,
    reduction: Any = "mean",
) -> Array:  # fmt: skip
    if swap:
        raise Unknown
    near, far = (vector_norm(array(anchor) - array(one) + eps, p, -1) for one in (positive, negative))
    return reduced(each(lambda a, b: max(ZERO, a - b + margin), near, far), reduction)


def _multilabel(input: Any, target: Any, weight: Any = None, reduction: Any = "mean") -> Array:
    terms = each(lambda x, y: y * softplus(-x, 1, mp.inf) + (1 - y) * softplus(x, 1, mp.inf), input, target)
    weighted = terms if weight is None else terms * array(weight)
    return reduced(weighted.mean(-1), reduction)


ROWS = {
    "mse_loss": _loss(lambda x, y: (x - y) ** 2, mean_of_weights=True),
    "l1_loss": _loss(lambda x, y: abs(x - y), mean_of_weights=True), "smooth_l1_loss": _loss(_smooth),
    "huber_loss": _loss(_huber, mean_of_weights=True), "binary_cross_entropy": _loss(_cross_term),
    "binary_cross_entropy_with_logits": _with_logits, "kl_div": _divergence, "poisson_nll_loss": _poisson,
    "gaussian_nll_loss": _gaussian, "nll_loss": _likelihood, "cross_entropy": _cross_entropy,
    "hinge_embedding_loss": _loss(_hinge), "margin_ranking_loss": _ranking, "cosine_embedding_loss": _cosine,
    "soft_margin_loss": _loss(lambda x, y: softplus(-y * x, 1, mp.inf)), "triplet_margin_loss": _triplet,
    "multilabel_soft_margin_loss": _multilabel,
}  # fmt: skip
