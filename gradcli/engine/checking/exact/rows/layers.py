"""Softmaxes, gates and normalisations: the layers of networks that couple elements."""

from __future__ import annotations

from typing import Any

import mpmath as mp

from gradcli.engine.checking.exact.array import Array, array, each
from gradcli.engine.checking.exact.number import Number, Unknown
from gradcli.engine.checking.exact.rows.elementary import sigmoid
from gradcli.engine.checking.exact.rows.norms import normalized
from gradcli.engine.checking.exact.rows.products import matmul, transposed
from gradcli.engine.checking.exact.rows.reductions import log_sum_exp, variance


def _usual(input: Array, dim: Any) -> int:
    """The dimension that torch takes where none is named."""
    return dim if dim is not None else 0 if len(input.shape) in (0, 1, 3) else 1


def log_softmax(input: Array, dim: Any = None) -> Array:
    """Each score, less the logarithm of the sum of all exponentials."""
    scores = array(input)
    return scores - scores.reduced(log_sum_exp, _usual(scores, dim), keepdim=True)


def softmax(input: Array, dim: Any = None) -> Array:
    return each(mp.exp, log_softmax(input, dim))


def _gated(input: Array, dim: Any = -1) -> Array:
    size = input.shape[dim] // 2
    first, second = (input.moved(lambda places, k=k: places.narrow(dim, k * size, size)) for k in (0, 1))
    return first * each(sigmoid, second)


def _prelu(input: Array, weight: Any) -> Array:
    slopes = array(weight)
    if len(slopes.items) > 1:
        shape = [1, -1, *[1] * (len(input.shape) - 2)] if len(input.shape) > 1 else [-1]
        slopes = slopes.moved(lambda places: places.reshape(shape))
    elif slopes.shape:
        slopes = slopes.moved(lambda places: places.reshape(()))
    return each(lambda x, slope: x if x > 0 else slope * x, input, slopes)


def standardized(input: Array, dims: Any, eps: Any) -> Array:
    """The input less its mean, over its deviation along some dimensions."""
    away = input - input.mean(dims, keepdim=True)
    spread = variance(input, dims, correction=0, keepdim=True)
    return away * each(lambda x: 1 / mp.sqrt(x + mp.mpf(eps)), spread)


def _scaled(input: Array, weight: Any, bias: Any) -> Array:
    found = input if weight is None else input * array(weight)
    return found if bias is None else found + array(bias)


def _layer_norm(input: Array, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Array:
    last = tuple(range(-len(tuple(normalized_shape)), 0))
    return _scaled(standardized(input, last, eps), weight, bias)


def _rms_norm(input: Array, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Array:
    last = tuple(range(-len(tuple(normalized_shape)), 0))
    small = mp.mpf(2) ** -52 if eps is None else mp.mpf(eps)
    mean = (input * input).mean(last, keepdim=True)
    return _scaled(input * each(lambda x: 1 / mp.sqrt(x + small), mean), weight, None)


def _by_channel(one: Any, rank: int) -> Any:
    """Numbers of channels, which stand in the second dimension."""
    return None if one is None else array(one).moved(lambda places: places.reshape([1, -1, *[1] * (rank - 2)]))


def _group_norm(input: Array, num_groups: int, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Array:
    groups = input.moved(lambda places: places.reshape(input.shape[0], num_groups, -1))
    found = standardized(groups, 2, eps).moved(lambda places: places.reshape(input.shape))
    return _scaled(found, _by_channel(weight, len(input.shape)), _by_channel(bias, len(input.shape)))


def _batch_norm(
    input: Array, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
    training: Any = False, momentum: Any = 0.1, eps: Any = 1e-5, cudnn_enabled: Any = None,
) -> Array:  # fmt: skip
    del momentum, cudnn_enabled
    rank = len(input.shape)
    if training:
        found = standardized(input, tuple(one for one in range(rank) if one != 1), eps)
    else:
        spread = each(lambda x: 1 / mp.sqrt(x + mp.mpf(eps)), _by_channel(running_var, rank))
        found = (input - _by_channel(running_mean, rank)) * spread
    return _scaled(found, _by_channel(weight, rank), _by_channel(bias, rank))


def _instance_norm(
    input: Array, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
    use_input_stats: Any = True, momentum: Any = 0.1, eps: Any = 1e-5, cudnn_enabled: Any = None,
) -> Array:  # fmt: skip
    del momentum, cudnn_enabled
    if not use_input_stats or running_mean is not None or running_var is not None:
        raise Unknown
    rank = len(input.shape)
    found = standardized(input, tuple(range(2, rank)), eps)
    return _scaled(found, _by_channel(weight, rank), _by_channel(bias, rank))


def _local_response(input: Array, size: int, alpha: Any = 1e-4, beta: Any = 0.75, k: Any = 1.0) -> Array:
    """Each channel over the strength of its neighbours: size // 2 before it, and (size - 1) // 2 behind."""
    channels = input.shape[1]
    squares = input * input
    padded = Array(squares.shape, [Number(mp.mpf(0)), *squares.items])
    places = squares.places() + 1
    shifted = []
    for by in range(-(size // 2), (size - 1) // 2 + 1):
        moved = places.roll(-by, 1)
        outside = [one for one in range(channels) if not 0 <= one + by < channels]
        moved[:, outside] = 0
        shifted.append(padded.at(moved))
    summed = shifted[0]
    for one in shifted[1:]:
        summed = summed + one
    strength = each(lambda x: mp.power(mp.mpf(k) + mp.mpf(alpha) * x / size, -mp.mpf(beta)), summed)
    return input * strength


def _attention(
    query: Array, key: Any, value: Any, attn_mask: Any = None, dropout_p: Any = 0.0, is_causal: Any = False,
    scale: Any = None, enable_gqa: Any = False,
) -> Array:  # fmt: skip
    if attn_mask is not None or dropout_p or is_causal or enable_gqa:
        raise Unknown
    factor = scale if scale is not None else 1 / mp.sqrt(query.shape[-1])
    scores = each(lambda x: x * factor, matmul(query, transposed(array(key))))
    return matmul(softmax(scores, -1), value)


def _threefold(row: Any) -> Any:
    """The forms that also return the mean and the inverse deviation, which carry no gradient."""
    return lambda *args, **given: (row(*args, **given), None, None)


def _native_group_norm(
    input: Array, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: Any
) -> tuple[Any, None, None]:
    del N, C, HxW
    return _group_norm(input, group, weight, bias, eps), None, None


ROWS = {
    "softmax": softmax, "log_softmax": log_softmax, "softmin": lambda input, dim=None: softmax(-input, _usual(input, dim)),
    "glu": _gated, "prelu": _prelu, "normalize": normalized, "layer_norm": _layer_norm, "rms_norm": _rms_norm,
    "group_norm": _group_norm, "batch_norm": _batch_norm, "instance_norm": _instance_norm,
    "local_response_norm": _local_response, "scaled_dot_product_attention": _attention,
    "native_layer_norm": _threefold(_layer_norm), "native_group_norm": _native_group_norm,
}  # fmt: skip
