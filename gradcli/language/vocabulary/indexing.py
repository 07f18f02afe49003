"""Reading and writing elements at index tensors and masks."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "indexing",
    row("gather", "torch Tensor", "(input, dim, index, *, sparse_grad=False)", "Elements an index picks along dim."),
    row("index_select", "torch Tensor", "(input, dim, index)", "Slices along dim at the given indices."),
    row("take", "torch Tensor", "(input, index)", "Elements at indices into the flattened tensor."),
    row("take_along_dim", "torch Tensor", "(input, indices, dim=None)", "Elements at indices along dim."),
    row("masked_select", "torch Tensor", "(input, mask)", "Elements where the mask is true, in one dimension."),
    row(
        "scatter", "torch Tensor Tensor_",
        "(input, dim, index, src) | (input, dim, index, value)"
        " | (input, dim, index, src, *, reduce) | (input, dim, index, value, *, reduce)",
        "Elements at an index along dim replaced by those of src, or by a number.",
        at_kinks="torch has no derivative with reduce=; scatter_add and scatter_reduce have one.",
        strings={"reduce": "add multiply"},
    ),
    row(
        "scatter_add", "torch Tensor Tensor_", "(input, dim, index, src)",
        "Elements of src added to those at an index along dim.",
    ),
    row(
        "scatter_reduce", "torch Tensor Tensor_", "(input, dim, index, src, reduce, *, include_self=True)",
        "Elements of src reduced into those at an index along dim.",
        smooth="no ties within a group for amax and amin", kinks="ties",
        at_kinks="Equal elements share the gradient evenly.",
        strings={"reduce": "sum prod mean amax amin"},
    ),
    row(
        "index_add", "torch Tensor Tensor_", "(input, dim, index, source, *, alpha=1)",
        "Slices of source, times alpha, added to those at an index.",
    ),
    row(
        "index_copy", "torch Tensor Tensor_", "(input, dim, index, source)",
        "Slices at an index replaced by those of source.",
    ),
    row("index_fill", "torch Tensor Tensor_", "(input, dim, index, value)", "Slices at an index filled with a value."),
    row(
        "index_reduce", "torch Tensor Tensor_", "(input, dim, index, source, reduce, *, include_self=True)",
        "Slices of source reduced into those at an index.",
        smooth="no ties within a group for amax and amin", kinks="ties",
        at_kinks="Equal elements share the gradient evenly.",
        strings={"reduce": "prod mean amax amin"},
    ),
    row(
        "index_put", "torch Tensor Tensor_ torch.index_put_", "(input, indices, values, accumulate=False)",
        "Elements at a tuple of index tensors replaced by values, or added to.",
    ),
    row(
        "put", "torch Tensor Tensor_", "(input, index, source, accumulate=False)",
        "Elements at indices into the flattened tensor replaced, or added to.",
    ),
    row(
        "masked_fill", "torch Tensor Tensor_", "(input, mask, value)", "A value where the mask is true.",
        pointwise=True,
    ),
    row(
        "masked_scatter", "torch Tensor Tensor_", "(input, mask, source)",
        "The elements of source in turn where the mask is true.",
    ),
    row("fill", "torch Tensor.fill_ torch.fill_", "(input, value)", "Every element replaced by a value."),
    row("zero", "Tensor.zero_ torch.zero_", "(input)", "Every element set to 0."),
    row(
        "copy_", "Tensor", "(input, other, non_blocking=False)", "Overwrite in place with other.",
        writes=True, pointwise=True,
    ),
    row(
        "fill_diagonal_", "Tensor", "(input, fill_value, wrap=False)", "Write a number on the diagonal in place.",
        writes=True,
    ),
    row("select_scatter", "torch Tensor", "(input, src, dim, index)", "One slice along dim replaced by src."),
    row(
        "slice_scatter", "torch Tensor", "(input, src, dim=0, start=None, end=None, step=1)",
        "A range along dim replaced by src.",
    ),
    row("diagonal_scatter", "torch Tensor", "(input, src, offset=0, dim1=0, dim2=1)", "A diagonal replaced by src."),
    row(
        "nonzero", "torch Tensor", "(input, *, as_tuple=False)", "Indices of the elements that are not 0.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "nonzero_static", "torch Tensor", "(input, *, size, fill_value=-1)",
        "Indices of the elements that are not 0, padded or cut to a size.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "argwhere", "torch Tensor", "(input)", "Indices of the elements that are not 0, one row each.",
        smooth="nowhere", differentiable=False,
    ),
    row(
        "unravel_index", "torch", "(indices, shape)", "Flat indices turned into one index tensor a dimension.",
        smooth="nowhere", differentiable=False,
    ),
)
