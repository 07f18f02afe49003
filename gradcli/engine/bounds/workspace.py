"""Memory that a step takes beside its operands and results: what it works in, and what going back takes."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from gradcli.engine.bounds import layers, windows
from gradcli.engine.bounds.contraction import contractions
from gradcli.engine.bounds.operands import UNFIT, Operands, broadcast, largest, same, spread, vectors


def workspace(given: Operands, made: int, recorded: bool) -> int:
    """Bytes beside the results, whichever of both ways takes more; `made` are the elements of the results.

    The factors are measured: the peak of torch's allocations on torch's own samples of each operator.
    """
    family, name = given.step.function.family, given.name
    forward, backward = _TIMES.get(name) or _TIMES.get(family) or (0, 1)
    size = max((one.element_size() for one in given.tensors), default=4)
    try:
        unit = spread(given) if family in _SPREADING or name in _SPREADING else largest(given)
        special = _SPECIAL.get(name) or _SPECIAL.get(family)
        extra = special(given) if special else 0
    except UNFIT:
        unit, extra = largest(given), 0
    there = extra + forward * unit
    if not recorded:
        return math.ceil(there * size)
    wide = made if given.step.function.pointwise else 0
    gradients = sum(max(one.numel(), wide) for one in given.tensors if one.requires_grad)
    return math.ceil(max(there, extra + backward * max(gradients, unit if backward > 1 else 0)) * size)


# Families and names whose work is as large as their operands broadcast together.
_SPREADING = frozenset(
    {"losses", "similarity", "dist", "allclose", "equal", "masked", "masked_select", "masked_scatter"}
)


# How many times the largest operand a step works in, and its gradients take, where that is more than (0, 1).
_TIMES: dict[str, tuple[float, float]] = {
    "allclose": (3, 0), "isclose": (3, 0), "isin": (4, 0), "angle": (0, 3), "polar": (0, 5), "complex": (0, 2),
    "logsumexp": (1, 3), "dist": (1, 4), "norm": (1, 2), "prod": (0, 3), "nansum": (1, 2), "nanmean": (2, 2),
    "max": (0, 4), "min": (0, 4), "amax": (0, 4), "amin": (0, 4), "aminmax": (0, 4), "cov": (2, 3), "corrcoef": (2, 3),
    "std": (0, 3), "var": (0, 3), "var_mean": (0, 3), "std_mean": (0, 3), "mode": (3, 1), "median": (1, 4),
    "nanmedian": (2, 4), "quantile": (6, 3), "nanquantile": (6, 3), "masked": (3, 3),
    "scans": (0, 2), "cumprod": (0, 4), "logcumsumexp": (0, 4), "diff": (1, 2), "renorm": (1, 3),
    "sorting": (2, 1), "kthvalue": (3, 1), "index_reduce": (1, 6), "scatter_reduce": (1, 4),
    "linalg": (2, 3), "matrix_exp": (6, 24), "pinv": (3, 7), "pinverse": (3, 7), "vander": (0, 2), "cdist": (1, 2),
    "decompositions": (2, 4), "similarity": (2, 3), "fft": (1, 3), "stft": (2, 4),
    "softmax": (0, 2), "log_softmax": (0, 2), "gumbel_softmax": (2, 3), "normalize": (1, 3), "dropout": (1, 1),
    "losses": (2, 2), "hinge_embedding_loss": (4, 3), "poisson_nll_loss": (4, 3), "gaussian_nll_loss": (3, 3),
    "normalization": (1, 2), "local_response_norm": (4, 4),
    "lp_pool1d": (2, 3), "lp_pool2d": (2, 3), "lp_pool3d": (2, 3),
}  # fmt: skip


def _columns(given: Operands) -> int:
    """What a convolution spreads out: a column of its input for each place, where the dtype has no faster way."""
    data, weight = given.tensors[:2]
    channels, out, one_filter = windows.convolved(given)
    batch = max(data.shape[0] if data.dim() == weight.dim() else 1, 1)
    transposed = windows.transposes(given)
    reach = math.prod(data.shape[-(weight.dim() - 2) :]) if transposed else out
    spaced = any(one != 1 for one in given.each("dilation", weight.dim() - 2, 1))
    if data.dtype in (torch.float32, torch.bfloat16, torch.float16):
        near = 6 * (data.numel() + channels * out) + (weight.numel() if spaced else 0)
        return near + one_filter * reach if transposed else near
    return one_filter * reach * (1 if spaced else batch)


def _expanded(given: Operands) -> int:
    """A product of batches copies the matrices that it repeats."""
    first, last = given.tensors[-2:]
    batch = broadcast((first.shape[:-2], last.shape[:-2]))
    if batch is None or not (first.dim() > 2 and last.dim() > 2):
        return 0
    return sum(math.prod(batch) * math.prod(one.shape[-2:]) for one in (first, last) if one.shape[:-2] != batch)


def _between(given: Operands) -> int:
    return contractions(given)[0]


def _patched(given: Operands) -> int:
    return 2 * windows.patches(given)


def _bilinear(given: Operands) -> int:
    """Every product of an element of the one input and one of the other, for each row."""
    first, last = given.tensors[:2]
    return first.numel() * last.shape[-1]


def _attended(given: Operands) -> int:
    """A weight for each query and key, where they are not made and forgotten piece by piece."""
    mask, dropout = given.get("attn_mask"), given.get("dropout_p", default=0.0)
    whole = (
        given.name == "multi_head_attention_forward"
        or dropout
        or (isinstance(mask, torch.Tensor) and mask.requires_grad)
    )
    return 4 * layers.scores(given) if whole else (layers.scores(given) if mask is not None else 0)


def _alignments(given: Operands) -> int:
    """ctc_loss: a probability for each time, sequence, and place of the target with its blanks."""
    probabilities, targets = given.tensors[:2]
    times, count = probabilities.shape[0], probabilities.shape[1] if probabilities.dim() > 2 else 1
    return int(times * count * (2 * targets.shape[-1] + 1))


def _products(given: Operands) -> int:
    """mvlgamma: p numbers for each element."""
    return same(given) * max(given.whole("p", default=1), 1)


def _recurrent(given: Operands) -> int:
    """The gates of each layer at each place of the sequences."""
    return 5 * vectors(given.first) * sum(one.shape[0] for one in given.tensors[1:] if one.dim() == 2)


def _places(given: Operands) -> int:
    """Whole numbers for the dimensions of each place of a mask, of twice the size of a float each."""
    return 2 * spread(given) * max((one.dim() for one in given.tensors), default=1)


def _masks(given: Operands) -> int:
    """Index tensors and masks that pick elements are spread over all that they pick together."""
    return 2 * sum(one.numel() * max(one.dim(), 1) for one in given.tensors[1:])


_SPECIAL: dict[str, Callable[[Operands], int]] = {
    **dict.fromkeys(("conv1d", "conv2d", "conv3d", "convolution"), _columns),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), _columns),
    **dict.fromkeys(("matmul", "@", "@="), _expanded),
    **dict.fromkeys(("scaled_dot_product_attention", "multi_head_attention_forward"), _attended),
    **dict.fromkeys(("masked_select", "masked_scatter"), _places),
    "einsum": _between, "F.unfold": _patched, "bilinear": _bilinear, "ctc_loss": _alignments, "mvlgamma": _products,
    "recurrent": _recurrent, "index": _masks, "store": _masks, "index_put": _masks,
}  # fmt: skip
