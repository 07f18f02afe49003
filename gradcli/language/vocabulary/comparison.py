"""Comparisons, tests and logic of each element, which answer with booleans or integers."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = (
    family(
        "comparison",
        row("eq", "torch Tensor", "(input, other)", "Whether both elements are equal."),
        row("ne not_equal", "torch Tensor", "(input, other)", "Whether both elements differ."),
        row("lt less", "torch Tensor", "(input, other)", "Whether input is below other."),
        row("le less_equal", "torch Tensor", "(input, other)", "Whether input is not above other."),
        row("gt greater", "torch Tensor", "(input, other)", "Whether input is above other."),
        row("ge greater_equal", "torch Tensor", "(input, other)", "Whether input is not below other."),
        row(
            "isclose",
            "torch Tensor",
            "(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)",
            "Whether both elements agree within the tolerances.",
        ),
        row("isnan", "torch Tensor", "(input)", "Whether each element is NaN."),
        row("isinf", "torch Tensor", "(input)", "Whether each element is infinite."),
        row("isposinf", "torch Tensor", "(input)", "Whether each element is positive infinity."),
        row("isneginf", "torch Tensor", "(input)", "Whether each element is negative infinity."),
        row("isfinite", "torch Tensor", "(input)", "Whether each element is neither infinite nor NaN."),
        row("isreal", "torch Tensor", "(input)", "Whether each element has no imaginary part."),
        row("signbit", "torch Tensor", "(input)", "Whether each element has its sign bit set, as -0.0 has."),
        row(
            "isin",
            "torch",
            "(elements, test_elements, *, assume_unique=False, invert=False) | "
            "(elements, test_element, *, assume_unique=False, invert=False) | "
            "(element, test_elements, *, assume_unique=False, invert=False)",
            "Whether each element is among the test elements.",
            pointwise=False,
        ),
        row(
            "equal",
            "torch Tensor",
            "(input, other)",
            "Whether two tensors have the same shape and elements, as one answer.",
            pointwise=False,
        ),
        row(
            "allclose",
            "torch Tensor",
            "(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)",
            "Whether two tensors agree within the tolerances, as one answer.",
            pointwise=False,
        ),
        row("logical_not", "torch Tensor", "(input)", "Whether each element is zero or false."),
        row("logical_and", "torch Tensor", "(input, other)", "Whether both elements are non-zero."),
        row("logical_or", "torch Tensor", "(input, other)", "Whether at least one of both elements is non-zero."),
        row("logical_xor", "torch Tensor", "(input, other)", "Whether exactly one of both elements is non-zero."),
        row("bitwise_not", "torch Tensor Tensor_", "(input)", "Each bit turned; of booleans, the opposite."),
        row(
            "bitwise_and",
            "torch Tensor Tensor_",
            "(input, other) | (self, other)",
            "Bits set in both integers; of booleans, and.",
        ),
        row(
            "bitwise_or",
            "torch Tensor Tensor_",
            "(input, other) | (self, other)",
            "Bits set in either integer; of booleans, or.",
        ),
        row(
            "bitwise_xor",
            "torch Tensor Tensor_",
            "(input, other) | (self, other)",
            "Bits set in exactly one integer; of booleans, either but not both.",
        ),
        row(
            "bitwise_left_shift",
            "torch Tensor Tensor_",
            "(input, other) | (self, other)",
            "Bits of input moved left by other places.",
        ),
        row(
            "bitwise_right_shift",
            "torch Tensor Tensor_",
            "(input, other) | (self, other)",
            "Bits of input moved right by other places, its sign kept.",
        ),
        pointwise=True,
        differentiable=False,
        smooth="nowhere",
    )
    + family(
        "comparison",
        row("eq", "Tensor.eq_", "(input, other)", "1 where both elements are equal, else 0."),
        row("ne", "Tensor.ne_ Tensor.not_equal_", "(input, other)", "1 where both elements differ, else 0."),
        row("lt", "Tensor.lt_ Tensor.less_", "(input, other)", "1 where input is below other, else 0."),
        row("le", "Tensor.le_ Tensor.less_equal_", "(input, other)", "1 where input is not above other, else 0."),
        row("gt", "Tensor.gt_ Tensor.greater_", "(input, other)", "1 where input is above other, else 0."),
        row("ge", "Tensor.ge_ Tensor.greater_equal_", "(input, other)", "1 where input is not below other, else 0."),
        pointwise=True,
        smooth="input != other",
        kinks="ties",
        at_kinks="The slope is 0 there, as everywhere.",
    )
    + family(
        "comparison",
        row("logical_not", "Tensor.logical_not_", "(input)", "1 where the element is zero, else 0."),
        row("logical_and", "Tensor.logical_and_", "(input, other)", "1 where both elements are non-zero, else 0."),
        row("logical_or", "Tensor.logical_or_", "(input, other)", "1 where at least one element is non-zero, else 0."),
        row("logical_xor", "Tensor.logical_xor_", "(input, other)", "1 where exactly one element is non-zero, else 0."),
        pointwise=True,
        differentiable=False,
        smooth="nowhere",
        at_kinks="torch lets gradients through as if input had not changed.",
    )
)
