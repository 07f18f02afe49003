"""Trigonometric and hyperbolic functions of each element, in radians."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "trigonometry",
    row("sin", "torch Tensor Tensor_", "(input)", "Sine of each element."),
    row("cos", "torch Tensor Tensor_", "(input)", "Cosine of each element."),
    row("tan", "torch Tensor Tensor_", "(input)", "Tangent of each element.", smooth="cos(input) != 0"),
    row(
        "asin arcsin", "torch Tensor Tensor_", "(input)", "Inverse sine of each element.", smooth="-1 < input < 1",
        kinks="-1 1", at_kinks="The slope is inf at -1 and 1.",
    ),
    row(
        "acos arccos", "torch Tensor Tensor_", "(input)", "Inverse cosine of each element.", smooth="-1 < input < 1",
        kinks="-1 1", at_kinks="The slope is -inf at -1 and 1.",
    ),
    row("atan arctan", "torch Tensor Tensor_", "(input)", "Inverse tangent of each element."),
    row(
        "atan2 arctan2", "torch Tensor Tensor_", "(input, other)", "Angle of the point with x = other and y = input.",
        smooth="input != 0 or other > 0", kinks="zero",
        at_kinks="At the origin torch takes 0 for both; across the negative x axis the angle jumps.",
    ),
    row("sinh", "torch Tensor Tensor_", "(input)", "Hyperbolic sine of each element."),
    row("cosh", "torch Tensor Tensor_", "(input)", "Hyperbolic cosine of each element."),
    row("tanh", "torch F Tensor Tensor_", "(input)", "Hyperbolic tangent of each element."),
    row("asinh arcsinh", "torch Tensor", "(input)", "Inverse hyperbolic sine of each element."),
    row(
        "acosh arccosh", "torch Tensor", "(input)", "Inverse hyperbolic cosine of each element.", smooth="input > 1",
        kinks="1", at_kinks="The slope is inf at 1.",
    ),
    row(
        "atanh arctanh", "torch Tensor", "(input)", "Inverse hyperbolic tangent of each element.",
        smooth="-1 < input < 1", kinks="-1 1", at_kinks="The value is infinite and the slope inf at -1 and 1.",
    ),
    row("sinc", "torch special Tensor Tensor_", "(input)", "sin(pi x) / (pi x) of each element, and 1 at 0."),
    row(
        "hypot", "torch Tensor Tensor_", "(input, other)", "Length of the vector (input, other).",
        smooth="input != 0 or other != 0", kinks="zero", at_kinks="torch gives nan for both at the origin.",
    ),
    row("deg2rad", "torch Tensor Tensor_", "(input)", "Degrees to radians."),
    row("rad2deg", "torch Tensor Tensor_", "(input)", "Radians to degrees."),
    pointwise=True,
) + family(
    "trigonometry",
    row(
        "asinh", "Tensor.asinh_ Tensor.arcsinh_", "(input)",
        "Inverse hyperbolic sine of each element; torch has no derivative in place.",
    ),
    row(
        "acosh", "Tensor.acosh_ Tensor.arccosh_", "(input)",
        "Inverse hyperbolic cosine of each element; torch has no derivative in place.",
    ),
    row(
        "atanh", "Tensor.atanh_ Tensor.arctanh_", "(input)",
        "Inverse hyperbolic tangent of each element; torch has no derivative in place.",
    ),
    pointwise=True, differentiable=False, smooth="nowhere",
)
