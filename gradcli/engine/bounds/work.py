"""How much a step computes, in multiplications of a matrix product: for steps whose work outgrows their operands.

The weights are measured times on one core, divided by that of one multiplication of a large product.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from gradcli.engine.bounds import layers, windows
from gradcli.engine.bounds.contraction import contractions
from gradcli.engine.bounds.operands import UNFIT, Operands, largest, product, same, vectors

READ = 10  # to read or write one element


def work(given: Operands, made: int) -> float:
    """Multiplications, roughly. `made` are the elements of the results."""
    function = given.step.function
    count = _WORK.get(given.name) or _WORK.get(function.family)
    each = READ * _TIMES.get(given.name, _TIMES.get(function.family, 1))
    whole = float(each) * max(largest(given), made)
    try:
        return max(whole, count(given, made)) if count and given.tensors else whole
    except UNFIT:
        return whole


# How many times longer than a sum an element takes.
_TIMES = {
    "sorting": 300, "searchsorted": 3000, "bucketize": 3000, "unique": 500, "topk": 60, "kthvalue": 80, "isin": 600,
    "quantile": 600, "nanquantile": 600, "mode": 300, "median": 40, "nanmedian": 40, "std": 8, "var": 8,
    "special": 60, "zeta": 1000, "polygamma": 1000, "igamma": 300, "igammac": 300, "logcumsumexp": 100,
    "random": 40, "fft": 60, "losses": 10, "normalization": 10,
}  # fmt: skip


def _products(given: Operands, made: int) -> float:
    """Each element of a product of two sums over the dimensions that disappear: sqrt(n m / made) of them."""
    total = math.prod(float(max(one.numel(), 1)) for one in given.tensors[-2:])
    return math.sqrt(total * max(made, 1)) if len(given.tensors) > 1 else 0.0


def _chain(given: Operands, _: int) -> float:
    """A chain: the order is found in n³, and no product sums over more than the widest matrix."""
    widest = max(max(one.shape) for one in given.tensors if one.dim())
    return 10.0 * len(given.tensors) ** 3 + float(widest) * sum(one.numel() for one in given.tensors)


def _einsum(given: Operands, _: int) -> float:
    return contractions(given)[1]


def _cubic(given: Operands, _: int) -> float:
    """Decompositions of n×n matrices cost about 10 n³."""
    rounds = max(given.whole("niter", default=1), 1)
    return rounds * max(10.0 * one.numel() * min(one.shape[-2:] or (1,)) for one in given.tensors)


def _distances(given: Operands, made: int) -> float:
    """A power for each coordinate of each pair; with p = 2 a product."""
    euclidean = given.get("p", default=2.0) == 2 and given.name == "cdist"
    return float(made) * given.first.shape[-1] * (2 if euclidean else 300)


def _convolved(given: Operands, _: int) -> float:
    """Each element of the output sums over one filter; of a transposed one, each of the input is spread over one."""
    channels, out, one_filter = windows.convolved(given)
    if windows.transposes(given):
        return float(same(given)) * one_filter
    return float(channels) * out * one_filter


def _pooled(given: Operands, made: int) -> float:
    """Each place looks at its window; adaptive windows cover the input."""
    if windows.is_resizing(given.name):
        return READ * float(max(same(given), made))
    places, window = windows.pooled(given)
    return 30.0 * places * window


def _response(given: Operands, _: int) -> float:
    return 100.0 * same(given) * given.whole("size", default=1)


def _degrees(given: Operands, _: int) -> float:
    """A polynomial: so many steps as its degree for each element."""
    degree = given.get("n", default=1)
    most = (
        float(degree.abs().max()) if isinstance(degree, torch.Tensor) and degree.numel() else float(product([degree]))
    )
    return 150.0 * largest(given) * max(most, 1.0)


def _repeated(name: str, weight: float) -> Callable[[Operands, int], float]:
    """So many rounds as a number says over all elements."""

    def rounds(given: Operands, made: int) -> float:
        return weight * max(given.whole(name, default=1), 1) * max(same(given), made)

    return rounds


def _scores(given: Operands, _: int) -> float:
    """Two products for each query and key."""
    return 2.0 * layers.scores(given) * given.tensors[0].shape[-1]


def _alignments(given: Operands, _: int) -> float:
    times, targets = given.tensors[0].shape[0], given.tensors[1]
    return 100.0 * times * (2 * targets.numel() + 1)


def _recurrent(given: Operands, _: int) -> float:
    """Each place of the sequences multiplies with every weight."""
    return float(vectors(given.first)) * sum(one.numel() for one in given.tensors[1:] if one.dim() == 2)


def _bilinear(given: Operands, made: int) -> float:
    return float(made) * given.tensors[0].shape[-1] * given.tensors[1].shape[-1]


_WORK: dict[str, Callable[[Operands, int], float]] = {
    **dict.fromkeys(("products", "@", "@=", "linear"), _products),
    **dict.fromkeys(("chain_matmul", "multi_dot"), _chain),
    **dict.fromkeys(("linalg", "decompositions"), _cubic),
    **dict.fromkeys(("cdist", "pdist"), _distances),
    **dict.fromkeys(("scaled_dot_product_attention", "multi_head_attention_forward"), _scores),
    "einsum": _einsum, "bilinear": _bilinear, "convolution": _convolved, "pooling": _pooled, "recurrent": _recurrent,
    "local_response_norm": _response, "polynomials": _degrees, "mvlgamma": _repeated("p", 500),
    "diff": _repeated("n", 100), "ctc_loss": _alignments,
}  # fmt: skip
