"""Normalization layers: shift and scale to mean 0 and variance 1 over a batch, channels or features."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "normalization",
    row(
        "batch_norm",
        "F torch",
        "F(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05)"
        " | (input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled)",
        "Normalize each channel by the batch's statistics, or by the running ones.",
    ),
    row(
        "instance_norm",
        "F torch",
        "F(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1,"
        " eps=1e-05)"
        " | (input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled)",
        "Normalize each channel of each sample.",
    ),
    row(
        "layer_norm",
        "F torch",
        "(input, normalized_shape, weight=None, bias=None, eps=1e-05)",
        "Normalize over the last dimensions.",
    ),
    row(
        "group_norm",
        "F torch",
        "(input, num_groups, weight=None, bias=None, eps=1e-05)",
        "Normalize each group of channels of each sample.",
    ),
    row(
        "rms_norm",
        "F torch",
        "(input, normalized_shape, weight=None, eps=None)",
        "Divide by the root mean square over the last dimensions.",
    ),
    row(
        "local_response_norm",
        "F",
        "(input, size, alpha=0.0001, beta=0.75, k=1.0)",
        "Divide by the strength of the size neighbouring channels.",
        limits={"size": 1000},
    ),
    row(
        "native_layer_norm",
        "torch",
        "(input, normalized_shape, weight, bias, eps)",
        "Layer norm, with the mean and the inverse standard deviation.",
    ),
    row(
        "native_group_norm",
        "torch",
        "(input, weight, bias, N, C, HxW, group, eps)",
        "Group norm, with the mean and the inverse standard deviation.",
    ),
    row(
        "native_batch_norm",
        "torch",
        "(input, weight, bias, running_mean, running_var, training, momentum, eps)",
        "Batch norm, with the mean and the inverse standard deviation.",
    ),
)
