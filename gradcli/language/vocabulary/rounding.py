"""Functions of each element that move in steps: rounding, signs and thresholds."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "rounding",
    row(
        "floor",
        "torch Tensor Tensor_",
        "(input)",
        "Largest whole number not above each element.",
        smooth="input is not whole",
        kinks="integers",
        at_kinks="The slope is 0 there, as everywhere.",
    ),
    row(
        "ceil",
        "torch Tensor Tensor_",
        "(input)",
        "Smallest whole number not below each element.",
        smooth="input is not whole",
        kinks="integers",
        at_kinks="The slope is 0 there, as everywhere.",
    ),
    row(
        "round",
        "torch special Tensor Tensor_",
        "(input, *, decimals=0)",
        "Each element rounded to so many decimals, halves to even.",
        smooth="input is not halfway between two rounded values",
        at_kinks="The slope is 0 there, as everywhere.",
    ),
    row(
        "trunc fix",
        "torch Tensor Tensor_",
        "(input)",
        "Each element without its fraction.",
        smooth="input is 0 or not whole",
        kinks="integers",
        at_kinks="The slope is 0 there, as everywhere.",
    ),
    row(
        "frac",
        "torch Tensor Tensor_",
        "(input)",
        "Fraction of each element, with its sign.",
        smooth="input is 0 or not whole",
        kinks="integers",
        at_kinks="The slope is 1 there, as everywhere.",
    ),
    row(
        "sign",
        "torch Tensor Tensor_",
        "(input)",
        "-1, 0 or 1, the sign of each element.",
        smooth="input != 0",
        kinks="0",
        at_kinks="The slope is 0 there, as everywhere.",
    ),
    row(
        "sgn",
        "torch Tensor Tensor_",
        "(input)",
        "Sign of each element; of a complex one, its direction.",
        smooth="input != 0",
        kinks="0",
        at_kinks="torch takes 0 at 0.",
    ),
    row(
        "heaviside",
        "torch Tensor Tensor_",
        "(input, values)",
        "Unit step: 0 below 0, 1 above it, and values at 0.",
        differentiable=False,
        smooth="nowhere",
    ),
    row(
        "nextafter",
        "torch Tensor Tensor_",
        "(input, other)",
        "Next number that the dtype has after input, towards other.",
        smooth="input != other",
        kinks="ties",
        at_kinks="torch takes 0 for input where both are equal, and always 0 for other.",
    ),
    pointwise=True,
)
