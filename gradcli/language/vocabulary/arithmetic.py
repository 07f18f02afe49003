"""Arithmetic of each element: sums, products, quotients, powers and roots."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "arithmetic",
    row(
        "add", "torch Tensor Tensor_", "(input, other, *, alpha=1) | (input, alpha, other)",
        "Sum of both operands, other taken alpha times.",
    ),
    row(
        "sub subtract", "torch Tensor Tensor_", "(input, other, *, alpha=1) | (input, alpha, other)",
        "Difference of both operands, other taken alpha times.",
    ),
    row("rsub", "torch", "(input, other, alpha=1)", "Difference the other way round: other minus alpha times input."),
    row("mul multiply", "torch Tensor Tensor_", "(input, other)", "Product of both operands."),
    row(
        "div divide", "torch Tensor Tensor_", "(input, other, *, rounding_mode=None)",
        "Quotient of both operands, rounded if a mode is given.", smooth="other != 0",
        at_kinks="With a rounding_mode the slope is 0 everywhere.", strings={"rounding_mode": "floor trunc"},
    ),
    row(
        "true_divide", "torch Tensor Tensor_", "(input, other)", "Quotient of both operands, never rounded.",
        smooth="other != 0",
    ),
    row(
        "floor_divide", "torch Tensor Tensor_", "(input, other)", "Quotient of both operands, rounded down.",
        differentiable=False, smooth="nowhere",
    ),
    row(
        "remainder", "torch Tensor Tensor_", "(input, other) | (self, other)",
        "Remainder of the division, with the sign of other.", smooth="other != 0 and input / other is not whole",
        kinks="integers", at_kinks="At a whole quotient torch takes 1 for input and minus the quotient for other.",
    ),
    row(
        "fmod", "torch Tensor Tensor_", "(input, other)", "Remainder of the division, with the sign of input.",
        smooth="other != 0 and input / other is not whole", kinks="integers",
        at_kinks="At a whole quotient torch takes 1 for input and minus the quotient for other.",
    ),
    row(
        "pow", "torch Tensor Tensor_", "(input, exponent) | (self, exponent)", "Input raised to a power.",
        smooth="input > 0; input != 0 if exponent is whole; everywhere if it is 0, 1, 2, ...",
        at_kinks="At 0 a power between 0 and 1 has slope inf; exponent's slope is nan below 0.",
    ),
    row(
        "float_power", "torch Tensor Tensor_", "(input, exponent) | (self, exponent)",
        "Input raised to a power, computed in double precision.",
        smooth="input > 0; input != 0 if exponent is whole; everywhere if it is 0, 1, 2, ...",
        at_kinks="At 0 a power between 0 and 1 has slope inf; exponent's slope is nan below 0.",
    ),
    row("square", "torch Tensor Tensor_", "(input)", "Square of each element."),
    row(
        "sqrt", "torch Tensor Tensor_", "(input)", "Square root of each element.", smooth="input > 0", kinks="0",
        at_kinks="The slope is inf at 0.",
    ),
    row(
        "rsqrt", "torch Tensor Tensor_", "(input)", "One over the square root of each element.", smooth="input > 0",
        kinks="0", at_kinks="The value is inf and the slope -inf at 0.",
    ),
    row(
        "reciprocal", "torch Tensor Tensor_", "(input)", "One over each element.", smooth="input != 0", kinks="0",
        at_kinks="The value is inf and the slope -inf at 0.",
    ),
    row(
        "abs absolute", "torch Tensor Tensor_", "(input)", "Absolute value of each element.", smooth="input != 0",
        kinks="0", at_kinks="torch takes 0 at 0.",
    ),
    row("neg negative", "torch Tensor Tensor_", "(input)", "Each element with its sign turned."),
    row("positive", "torch Tensor", "(input)", "The operand itself."),
    row(
        "copysign", "torch Tensor Tensor_", "(input, other)", "Magnitude of input with the sign of other.",
        smooth="input != 0 and other != 0", kinks="0", at_kinks="torch takes 0 for input at 0, and always 0 for other.",
    ),
    row(
        "lerp", "torch Tensor Tensor_", "(input, end, weight)",
        "Point between input and end: input + weight * (end - input).",
    ),
    row(
        "addcmul", "torch Tensor Tensor_", "(input, tensor1, tensor2, *, value=1) | (input, value, tensor1, tensor2)",
        "Input plus value times the product of two tensors.",
    ),
    row(
        "addcdiv", "torch Tensor Tensor_", "(input, tensor1, tensor2, *, value=1) | (input, value, tensor1, tensor2)",
        "Input plus value times the quotient of two tensors.", smooth="tensor2 != 0",
    ),
    row("ldexp", "torch Tensor Tensor_", "(input, other)", "Input times two to the power other."),
    row(
        "frexp", "torch Tensor", "(input)", "Mantissa and power of two that make up each element.",
        smooth="abs(input) is not 0 or a power of two",
        at_kinks="torch takes the slope on the side away from 0, and 1 at 0.",
    ),
    row(
        "gcd", "torch Tensor Tensor_", "(input, other)", "Greatest common divisor of two integers.",
        differentiable=False, smooth="nowhere",
    ),
    row(
        "lcm", "torch Tensor Tensor_", "(input, other)", "Least common multiple of two integers.", differentiable=False,
        smooth="nowhere",
    ),
    pointwise=True,
)
