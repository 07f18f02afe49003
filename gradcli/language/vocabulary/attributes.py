"""What a tensor shows without a call: transposes, parts, and facts about it."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "attributes",
    row("T", "Tensor", "", "Matrix transpose; for other than two dimensions, all of them reversed."),
    row("mT", "Tensor", "", "Transpose of the last two dimensions."),
    row("H", "Tensor", "", "Matrix transpose, conjugated."),
    row("mH", "Tensor", "", "Transpose of the last two dimensions, conjugated."),
    row("real", "Tensor", "", "Real part of each element.", pointwise=True),
    row("imag", "Tensor", "", "Imaginary part of each element of a complex tensor.", pointwise=True),
    attribute=True,
) + family(
    "attributes",
    row("data", "Tensor", "", "Same values, cut off from the graph; they share memory.", pointwise=True),
    row("shape", "Tensor", "", "Sizes of all dimensions."),
    row("ndim", "Tensor", "", "Number of dimensions."),
    row("dtype", "Tensor", "", "Type of the elements."),
    row("device", "Tensor", "", "Where the elements are kept."),
    row("requires_grad", "Tensor", "", "Whether autograd records operations on it."),
    row("is_leaf", "Tensor", "", "Whether it was given to the graph rather than computed in it."),
    row("grad_fn", "Tensor", "", "Node of the graph that computes its gradient, if any."),
    attribute=True,
    differentiable=False,
    smooth="nowhere",
)
