"""Dropout: zero elements or channels at random, and scale up the rest, while training."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "dropout",
    row(
        "dropout",
        "F torch torch_",
        "F(input, p=0.5, training=True, inplace=False) | (input, p, train)",
        "Zero each element with probability p, and divide the rest by 1 - p.",
        pointwise=True,
    ),
    row(
        "dropout1d",
        "F",
        "(input, p=0.5, training=True, inplace=False)",
        "Zero whole channels of signals with probability p.",
    ),
    row(
        "dropout2d",
        "F",
        "(input, p=0.5, training=True, inplace=False)",
        "Zero whole channels of images with probability p.",
    ),
    row(
        "dropout3d",
        "F",
        "(input, p=0.5, training=True, inplace=False)",
        "Zero whole channels of volumes with probability p.",
    ),
    row(
        "alpha_dropout",
        "F torch torch_",
        "F(input, p=0.5, training=False, inplace=False) | (input, p, train)",
        "Dropout that keeps mean and variance, for selu.",
        pointwise=True,
    ),
    row(
        "feature_alpha_dropout",
        "F torch torch_",
        "F(input, p=0.5, training=False, inplace=False) | (input, p, train)",
        "Alpha dropout of whole channels.",
    ),
    row(
        "feature_dropout",
        "torch torch_",
        "(input, p, train)",
        "Zero whole channels with probability p.",
    ),
    row(
        "native_dropout",
        "torch",
        "(input, p, train)",
        "Dropout, with the mask of the elements kept.",
        pointwise=True,
    ),
    random=True,
)
