"""Similarity and distance of vectors, pair by pair."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "similarity",
    row(
        "cosine_similarity",
        "F torch",
        "(x1, x2, dim=1, eps=1e-08)",
        "Cosine of the angle between x1 and x2 along dim; norms at least eps.",
        smooth="norms of x1 and x2 along dim > eps",
        kinks="zero",
        at_kinks="torch puts eps for the norm of a zero vector, so its slope is huge but finite.",
    ),
    row(
        "pairwise_distance",
        "F torch",
        "(x1, x2, p=2.0, eps=1e-06, keepdim=False)",
        "p-norm of x1 - x2 + eps along the last dimension.",
        smooth="x1 - x2 + eps != 0",
        kinks="zero",
        at_kinks="torch takes the slope of a difference of eps where x1 equals x2.",
    ),
    row(
        "pdist",
        "F torch",
        "(input, p=2.0)",
        "p-norm distances of all pairs of rows.",
        smooth="no two rows equal",
        kinks="zero",
        at_kinks="torch takes 0 for two equal rows.",
        grows="pairs",
    ),
)
