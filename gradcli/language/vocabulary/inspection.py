"""Questions about a tensor that a plain Python value answers."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "inspection",
    row("size", "Tensor", "(input, dim=None)", "Sizes of all dimensions, or of one."),
    row("dim ndimension", "Tensor", "(input)", "Number of dimensions."),
    row("numel", "torch Tensor Tensor.nelement", "(input)", "Number of elements."),
    row("element_size", "Tensor", "(input)", "Bytes that one element takes."),
    row("is_tensor", "torch", "(obj)", "Whether something is a tensor.", makes="facts"),
    row("is_floating_point", "torch Tensor", "(input)", "Whether the dtype is a floating one."),
    row("is_complex", "torch Tensor", "(input)", "Whether the dtype is a complex one."),
    row("is_signed", "torch Tensor", "(input)", "Whether the dtype has negative numbers."),
    row("is_conj", "torch Tensor", "(input)", "Whether a conjugation is pending."),
    row("is_neg", "torch Tensor", "(input)", "Whether a negation is pending."),
    row("is_inference", "torch Tensor", "(input)", "Whether the tensor was made in inference mode."),
    row("is_contiguous", "Tensor", "(input, *, memory_format=None)", "Whether the elements lie in memory in order."),
    row("is_nonzero", "torch Tensor", "(input)", "Whether the only element of a tensor is non-zero."),
    row("is_same_size", "torch Tensor", "(input, other)", "Whether two tensors have the same shape."),
    row(
        "result_type",
        "torch",
        "(tensor, other) | (scalar, tensor) | (scalar1, scalar2)",
        "Dtype that arithmetic on both operands gives.",
        makes="facts",
    ),
    row("promote_types", "torch", "(type1, type2)", "Smallest dtype that holds two dtypes.", makes="facts"),
    row("can_cast", "torch", "(from_, to)", "Whether a dtype may become another in arithmetic.", makes="facts"),
    row("broadcast_shapes", "torch", "(*shapes)", "Shape that tensors of these shapes broadcast to.", makes="facts"),
    row(
        "finfo",
        "torch",
        "(type=None)",
        "Limits of a floating dtype, in its fields .eps .max .min .tiny .resolution and .bits.",
        makes="facts",
    ),
    row("iinfo", "torch", "(type)", "Limits of an integer dtype, in its fields .max .min and .bits.", makes="facts"),
    differentiable=False,
    smooth="nowhere",
)
