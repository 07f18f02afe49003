"""Products and contractions of vectors and matrices, and what is built from them."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "products",
    row(
        "matmul",
        "torch linalg Tensor",
        "(input, other)",
        "Matrix product, batched over leading dimensions.",
        silent=True,
    ),
    row("mm", "torch Tensor", "(input, mat2) | (input, mat2, out_dtype)", "Product of two matrices.", silent=True),
    row("bmm", "torch Tensor", "(input, mat2) | (input, mat2, out_dtype)", "Products of two batches of matrices."),
    row(
        "grouped_mm",
        "F",
        "(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None)",
        "Products of groups of rows or columns with a matrix each; not in float64.",
    ),
    row("mv", "torch Tensor", "(input, vec)", "Product of a matrix and a vector.", silent=True),
    row("dot", "torch Tensor", "(input, tensor)", "Dot product of two vectors.", silent=True),
    row("vdot", "torch Tensor", "(input, other)", "Dot product of two vectors, the first one conjugated."),
    row("vecdot", "linalg", "(x, y, *, dim=-1)", "Dot products along dim, the first operand conjugated."),
    row("inner", "torch Tensor", "(input, other)", "Dot products of the last dimensions of two tensors."),
    row("outer ger", "torch Tensor", "(input, vec2)", "Outer product of two vectors."),
    row(
        "addmm",
        "torch Tensor Tensor_",
        "(input, mat1, mat2, *, beta=1, alpha=1) | (input, mat1, mat2, out_dtype, *, beta=1, alpha=1)",
        "beta * input + alpha * (mat1 @ mat2), for matrices.",
    ),
    row(
        "addmv",
        "torch Tensor Tensor_ torch.addmv_",
        "(input, mat, vec, *, beta=1, alpha=1)",
        "beta * input + alpha * (mat @ vec).",
    ),
    row(
        "addr",
        "torch Tensor Tensor_",
        "(input, vec1, vec2, *, beta=1, alpha=1)",
        "beta * input + alpha * the outer product of vec1 and vec2.",
    ),
    row(
        "addbmm",
        "torch Tensor Tensor_",
        "(input, batch1, batch2, *, beta=1, alpha=1)",
        "beta * input + alpha * the sum of batch1 @ batch2 over the batch.",
    ),
    row(
        "baddbmm",
        "torch Tensor Tensor_",
        "(input, batch1, batch2, *, beta=1, alpha=1) | (input, batch1, batch2, out_dtype, *, beta=1, alpha=1)",
        "beta * input + alpha * (batch1 @ batch2), batch by batch.",
    ),
    row("chain_matmul", "torch", "(*matrices)", "Product of several matrices (linalg.multi_dot is its successor)."),
    row("multi_dot", "linalg", "(tensors)", "Product of a list of matrices in the cheapest order."),
    row("tensordot", "torch", "(a, b, dims=2)", "Contraction of two tensors over several dimensions."),
    row(
        "einsum",
        "torch",
        "(equation, *operands) | (*operands)",
        "Sum of products as an equation of indices tells.",
        strings={"equation": "*"},
    ),
    row("kron", "torch Tensor", "(input, other)", "Kronecker product."),
    row("cross", "torch Tensor", "(input, other, dim=None)", "Cross product along dim, or the first of size 3."),
    row("linalg.cross", "linalg.cross", "(input, other, *, dim=-1)", "Cross product along dim, by default the last."),
    row(
        "cdist",
        "torch",
        "(x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary')",
        "The p-norm distance of each row of x1 to each row of x2.",
        smooth="no row of x1 equal to one of x2; for infinite p no ties",
        kinks="zero ties",
        at_kinks="torch takes 0 at a distance of 0; for infinite p each tied difference gets it all.",
        strings={
            "compute_mode": "use_mm_for_euclid_dist_if_necessary use_mm_for_euclid_dist donot_use_mm_for_euclid_dist",
        },
    ),
)
