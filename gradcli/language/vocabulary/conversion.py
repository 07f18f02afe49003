"""The same values in another dtype, on another device, in other memory, or outside the graph."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "conversion",
    row("float", "Tensor", "(input, *, memory_format=None)", "Same values as float32."),
    row("double", "Tensor", "(input, *, memory_format=None)", "Same values as float64."),
    row("half", "Tensor", "(input, *, memory_format=None)", "Same values as float16, rounded."),
    row("bfloat16", "Tensor", "(input, *, memory_format=None)", "Same values as bfloat16, rounded."),
    row("cfloat", "Tensor", "(input, *, memory_format=None)", "Same values as complex64."),
    row("cdouble", "Tensor", "(input, *, memory_format=None)", "Same values as complex128."),
    row("chalf", "Tensor", "(input, *, memory_format=None)", "Same values as complex32, rounded."),
    row(
        "to",
        "Tensor",
        "(input, dtype, non_blocking=False, copy=False, *, memory_format=None) | "
        "(input, device=None, dtype=None, non_blocking=False, copy=False, *, memory_format=None) | "
        "(input, tensor, non_blocking=False, copy=False, *, memory_format=None)",
        "Same values in a given dtype or on a given device, or as another tensor has them.",
    ),
    row(
        "type",
        "Tensor",
        "(input, dtype=None, non_blocking=False)",
        "Same values in a given dtype.",
        strings={"dtype": "*"},
    ),
    row("type_as", "Tensor", "(input, other)", "Same values in the dtype and on the device of another tensor."),
    row("cpu", "Tensor", "(input, *, memory_format=None)", "Same values in main memory."),
    row(
        "cuda",
        "Tensor",
        "(input, device=None, non_blocking=False, *, memory_format=None)",
        "Same values on a CUDA device.",
    ),
    row("clone", "torch Tensor", "(input, *, memory_format=None)", "Copy that gradients flow through."),
    row("alias_copy", "torch", "(input)", "Copy that gradients flow through, as an operation of its own."),
    row(
        "contiguous",
        "Tensor",
        "(input, *, memory_format=None)",
        "The tensor itself, or a copy of it that lies in memory in order.",
    ),
    row(
        "requires_grad_",
        "Tensor",
        "(input, requires_grad=True)",
        "In place: let autograd record operations on the tensor, or not.",
        writes=True,
    ),
    pointwise=True,
) + family(
    "conversion",
    row("detach", "torch Tensor Tensor_ torch_", "(input)", "Same values, cut off from the graph; they share memory."),
    row("long", "Tensor", "(input, *, memory_format=None)", "Whole parts as int64."),
    row("int", "Tensor", "(input, *, memory_format=None)", "Whole parts as int32."),
    row("short", "Tensor", "(input, *, memory_format=None)", "Whole parts as int16."),
    row("char", "Tensor", "(input, *, memory_format=None)", "Whole parts as int8."),
    row("byte", "Tensor", "(input, *, memory_format=None)", "Whole parts as uint8."),
    row("bool", "Tensor", "(input, *, memory_format=None)", "Whether each element is non-zero."),
    pointwise=True,
    differentiable=False,
    smooth="nowhere",
)
