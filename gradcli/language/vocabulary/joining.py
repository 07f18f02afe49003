"""Several tensors made one, and the grids and repetitions made of them."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "joining",
    row(
        "cat concat concatenate",
        "torch",
        "(tensors, dim=0)",
        "Tensors joined along a dimension they have.",
        along="joins",
    ),
    row("stack", "torch", "(tensors, dim=0)", "Tensors of one shape joined along a new dimension.", along="stacks"),
    row("hstack", "torch", "(tensors)", "Tensors joined side by side, along the second dimension."),
    row("vstack row_stack", "torch", "(tensors)", "Tensors joined row upon row, along the first dimension."),
    row("dstack", "torch", "(tensors)", "Tensors joined along the third dimension."),
    row("column_stack", "torch", "(tensors)", "Tensors joined side by side, vectors as columns."),
    row("block_diag", "torch", "(*tensors)", "Matrix with the tensors as blocks on its diagonal.", grows="square"),
    row("broadcast_tensors", "torch", "(*tensors)", "Each tensor broadcast to the common shape."),
    row(
        "meshgrid",
        "torch",
        "(*tensors, indexing=None)",
        "Grids of coordinates, one a vector.",
        strings={"indexing": "ij xy"},
        grows="grid",
    ),
    row("cartesian_prod", "torch", "(*tensors)", "All choices of one element of each vector, as rows.", grows="grid"),
    row(
        "combinations",
        "torch",
        "(input, r=2, with_replacement=False)",
        "All choices of r elements, as rows.",
        grows="combinations",
        limits={"r": 16},
    ),
    row(
        "repeat_interleave",
        "torch Tensor",
        "(input, repeats, dim=None, *, output_size=None) | (repeats, *, output_size=None)",
        "Each element repeated, a number of times or its own number.",
        grows="repeats",
    ),
)
