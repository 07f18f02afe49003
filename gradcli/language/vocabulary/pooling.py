"""Pooling: one number from each window of a signal, image or volume, and the way back."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

MAX = {
    "smooth": "no ties within a window", "kinks": "ties", "at_kinks": "The first of equal elements gets it all.",
}  # fmt: skip
POWER = {
    "smooth": "no window whose sum of powers is 0", "kinks": "zero",
    "at_kinks": "torch takes 0 in a window whose sum of powers is 0.",
}  # fmt: skip
WINDOWS = (
    "F(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False)"
    " | (input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False)"
)
FRACTIONS = "(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None)"

FUNCTIONS = family(
    "pooling",
    row(
        "avg_pool1d",
        "F torch",
        "(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True)",
        "Mean of each window of a signal.",
    ),
    row(
        "avg_pool2d",
        "F",
        "(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)",
        "Mean of each window of an image.",
        grows="windows",
    ),
    row(
        "avg_pool3d",
        "F",
        "(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None)",
        "Mean of each window of a volume.",
        grows="windows",
    ),
    row("max_pool1d", "F torch", WINDOWS, "Largest element of each window of a signal.", **MAX),
    row("max_pool2d", "F torch", WINDOWS, "Largest element of each window of an image.", grows="windows", **MAX),
    row("max_pool3d", "F torch", WINDOWS, "Largest element of each window of a volume.", grows="windows", **MAX),
    row(
        "max_pool1d_with_indices",
        "F torch",
        WINDOWS,
        "Largest element of each window of a signal, and its index.",
        **MAX,
    ),
    row(
        "max_pool2d_with_indices",
        "F",
        WINDOWS,
        "Largest element of each window of an image, and its index.",
        grows="windows",
        **MAX,
    ),
    row(
        "max_pool3d_with_indices",
        "F",
        WINDOWS,
        "Largest element of each window of a volume, and its index.",
        grows="windows",
        **MAX,
    ),
    row(
        "max_unpool1d",
        "F",
        "(input, indices, kernel_size, stride=None, padding=0, output_size=None)",
        "Put the maxima of a signal back at their indices, with 0 elsewhere.",
        grows="windows",
    ),
    row(
        "max_unpool2d",
        "F",
        "(input, indices, kernel_size, stride=None, padding=0, output_size=None)",
        "Put the maxima of an image back at their indices, with 0 elsewhere.",
        grows="windows",
    ),
    row(
        "max_unpool3d",
        "F",
        "(input, indices, kernel_size, stride=None, padding=0, output_size=None)",
        "Put the maxima of a volume back at their indices, with 0 elsewhere.",
        grows="windows",
    ),
    row(
        "lp_pool1d",
        "F",
        "(input, norm_type, kernel_size, stride=None, ceil_mode=False)",
        "Root of the sum of powers of each window of a signal.",
        **POWER,
    ),
    row(
        "lp_pool2d",
        "F",
        "(input, norm_type, kernel_size, stride=None, ceil_mode=False)",
        "Root of the sum of powers of each window of an image.",
        **POWER,
    ),
    row(
        "lp_pool3d",
        "F",
        "(input, norm_type, kernel_size, stride=None, ceil_mode=False)",
        "Root of the sum of powers of each window of a volume.",
        **POWER,
    ),
    row("adaptive_avg_pool1d", "F torch", "(input, output_size)", "Means of output_size windows of a signal."),
    row(
        "adaptive_avg_pool2d",
        "F",
        "(input, output_size)",
        "Means of output_size windows of an image.",
        grows="windows",
    ),
    row(
        "adaptive_avg_pool3d",
        "F",
        "(input, output_size)",
        "Means of output_size windows of a volume.",
        grows="windows",
    ),
    row(
        "adaptive_max_pool1d",
        "F torch",
        "F(input, output_size, return_indices=False) | (input, output_size)",
        "Largest elements of output_size windows of a signal.",
        **MAX,
    ),
    row(
        "adaptive_max_pool2d",
        "F",
        "(input, output_size, return_indices=False)",
        "Largest elements of output_size windows of an image.",
        grows="windows",
        **MAX,
    ),
    row(
        "adaptive_max_pool3d",
        "F",
        "(input, output_size, return_indices=False)",
        "Largest elements of output_size windows of a volume.",
        grows="windows",
        **MAX,
    ),
    row(
        "adaptive_max_pool1d_with_indices",
        "F",
        "(input, output_size, return_indices=False)",
        "Largest elements of output_size windows of a signal, and their indices.",
        **MAX,
    ),
    row(
        "adaptive_max_pool2d_with_indices",
        "F",
        "(input, output_size, return_indices=False)",
        "Largest elements of output_size windows of an image, and their indices.",
        grows="windows",
        **MAX,
    ),
    row(
        "adaptive_max_pool3d_with_indices",
        "F",
        "(input, output_size, return_indices=False)",
        "Largest elements of output_size windows of a volume, and their indices.",
        grows="windows",
        **MAX,
    ),
    row(
        "fractional_max_pool2d",
        "F",
        FRACTIONS,
        "Largest element of each randomly placed window of an image.",
        random=True,
        **MAX,
    ),
    row(
        "fractional_max_pool3d",
        "F",
        FRACTIONS,
        "Largest element of each randomly placed window of a volume.",
        random=True,
        **MAX,
    ),
    row(
        "fractional_max_pool2d_with_indices",
        "F",
        FRACTIONS,
        "Largest element of each randomly placed window of an image, and its index.",
        random=True,
        **MAX,
    ),
    row(
        "fractional_max_pool3d_with_indices",
        "F",
        FRACTIONS,
        "Largest element of each randomly placed window of a volume, and its index.",
        random=True,
        **MAX,
    ),
)
