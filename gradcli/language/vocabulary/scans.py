"""Scans: running sums, products and extremes, and differences between neighbours."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "scans",
    row(
        "cumsum",
        "torch Tensor Tensor_",
        "(input, dim, *, dtype=None)",
        "Running sum along dim.",
        along="keeps",
        silent=True,
    ),
    row(
        "cumprod",
        "torch Tensor Tensor_",
        "(input, dim, *, dtype=None)",
        "Running product along dim.",
        along="keeps",
        silent=True,
    ),
    row("logcumsumexp", "torch Tensor", "(input, dim)", "Logarithm of the running sum of exponentials along dim."),
    row(
        "cummax",
        "torch Tensor",
        "(input, dim)",
        "Running maximum along dim, and its indices.",
        smooth="no ties along dim",
        kinks="ties",
        at_kinks="The latest of the equal elements gets it.",
    ),
    row(
        "cummin",
        "torch Tensor",
        "(input, dim)",
        "Running minimum along dim, and its indices.",
        smooth="no ties along dim",
        kinks="ties",
        at_kinks="The latest of the equal elements gets it.",
    ),
    row(
        "diff",
        "torch Tensor",
        "(input, n=1, dim=-1, prepend=None, append=None)",
        "Differences of neighbours along dim, n times.",
        limits={"n": 1000},
    ),
    row(
        "gradient",
        "torch",
        "(input, *, spacing=None, dim=None, edge_order=1)",
        "Finite-difference estimate of the derivative of sampled values, one a dimension.",
    ),
    row(
        "renorm",
        "torch Tensor Tensor_",
        "(input, p, dim, maxnorm)",
        "Each slice along dim scaled down to a p-norm of at most maxnorm.",
        smooth="no slice with p-norm equal to maxnorm",
        kinks="bounds",
        at_kinks="torch takes slope 1, as below the bound.",
    ),
)
