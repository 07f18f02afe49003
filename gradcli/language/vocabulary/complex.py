"""Complex numbers: their parts, how they are made, and the views between them and pairs of reals."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "complex",
    row("real", "torch", "(input)", "Real part of each element."),
    row("imag", "torch", "(input)", "Imaginary part of each element of a complex tensor."),
    row(
        "angle",
        "torch Tensor",
        "(input)",
        "Angle of each element: of a real one 0, or pi if negative.",
        smooth="input is not 0, nor real and negative",
        kinks="0",
        at_kinks="torch takes 0 at 0, and everywhere for a real dtype.",
    ),
    row("complex", "torch", "(real, imag)", "Complex number from its real and imaginary parts."),
    row(
        "polar",
        "torch",
        "(abs, angle)",
        "Complex number from its length and angle.",
        smooth="abs > 0",
        at_kinks="At abs 0 torch takes 0 for both; below 0 its slopes have the wrong sign.",
    ),
    row("conj", "torch Tensor", "(input)", "Complex conjugate of each element, as a view that conjugates when read."),
    row(
        "conj_physical",
        "torch Tensor Tensor_ torch_",
        "(input)",
        "Complex conjugate of each element, computed at once.",
    ),
    row("resolve_conj", "torch Tensor", "(input)", "The tensor with a pending conjugation carried out."),
    row("resolve_neg", "torch Tensor", "(input)", "The tensor with a pending negation carried out."),
    row(
        "view_as_real",
        "torch",
        "(input)",
        "View of a complex tensor as reals, a last dimension of 2 added.",
        pointwise=False,
        grows="pairs",
    ),
    row(
        "view_as_complex",
        "torch",
        "(input)",
        "View of reals whose last dimension is 2 as complex numbers.",
        pointwise=False,
    ),
    row(
        "view_as_real_copy",
        "torch",
        "(input)",
        "Copy of a complex tensor as reals, a last dimension of 2 added.",
        pointwise=False,
        grows="pairs",
    ),
    row(
        "view_as_complex_copy",
        "torch",
        "(input)",
        "Copy of reals whose last dimension is 2 as complex numbers.",
        pointwise=False,
    ),
    pointwise=True,
)
