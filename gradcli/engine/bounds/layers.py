"""How many elements layers with weights make: linear maps, attention, recurrence, normalisation."""

from __future__ import annotations

import math

import torch

from gradcli.engine.bounds.operands import Operands, Rule, broadcast, same, total, vectors


def _linear(given: Operands) -> int:
    """A row of outputs for each row of inputs."""
    data, weight = given.tensors[:2] if given.name == "linear" else (given.tensors[0], given.tensors[2])
    return vectors(data) * (weight.shape[0] if weight.dim() > 1 or given.name != "linear" else 1)


def _attended(given: Operands) -> int:
    """A value for each query."""
    query, value = given.tensors[0], given.tensors[2]
    return _heads(given) * query.shape[-2] * value.shape[-1]


def _heads(given: Operands) -> int:
    shape = broadcast(one.shape[:-2] for one in given.tensors[:3])
    return math.prod(shape) if shape is not None else max(math.prod(one.shape[:-2]) for one in given.tensors[:3])


def scores(given: Operands) -> int:
    """A weight for each pair of a query and a key, in each head."""
    query, key = given.tensors[:2]
    if given.name == "scaled_dot_product_attention":
        return _heads(given) * query.shape[-2] * key.shape[-2]
    heads = given.whole("num_heads", default=1)
    batch = query.shape[1] if query.dim() > 2 else 1
    return batch * heads * query.shape[0] * (key.shape[0] + 2)


def _many_attended(given: Operands) -> int:
    return same(given) + scores(given)


def _thrice(given: Operands) -> int:
    """A normalised tensor, with the means and deviations that it came from."""
    return 3 * same(given)


def _recurrent(given: Operands) -> int:
    """An output for each place of the sequences, and the last states; `hidden` is the width of the state."""
    state = next(one for one in given.tensors[1:] if one.is_floating_point() or one.is_complex())
    return 2 * vectors(given.first) * state.shape[-1] + 2 * state.numel()


def _cell(given: Operands) -> int:
    return 2 * max(one.numel() for one in given.tensors[1:3] if isinstance(one, torch.Tensor))


NAMES: dict[str, Rule] = {
    **dict.fromkeys(("linear", "bilinear"), _linear),
    **dict.fromkeys(("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell"), _cell),
    **dict.fromkeys(("native_layer_norm", "native_group_norm", "native_batch_norm"), _thrice),
    "scaled_dot_product_attention": _attended, "multi_head_attention_forward": _many_attended,
}  # fmt: skip
FAMILIES: dict[str, Rule] = {"recurrent": _recurrent, "normalization": total}
