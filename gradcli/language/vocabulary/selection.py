"""Functions that keep, for each element, one of several candidates."""

from __future__ import annotations

from gradcli.language.vocabulary.function import family, row

FUNCTIONS = family(
    "selection",
    row(
        "clamp clip",
        "torch Tensor Tensor_ torch_",
        "(input, min=None, max=None)",
        "Each element moved into the range from min to max.",
        smooth="input is neither min nor max",
        kinks="bounds",
        at_kinks="At a bound the gradient goes to input whole, and 0 to the bound.",
    ),
    row(
        "clamp_min",
        "torch Tensor Tensor_ torch_",
        "(input, min)",
        "Each element, or min where it is below.",
        smooth="input != min",
        kinks="bounds",
        at_kinks="At the bound the gradient goes to input whole, and 0 to the bound.",
    ),
    row(
        "clamp_max",
        "torch Tensor Tensor_ torch_",
        "(input, max)",
        "Each element, or max where it is above.",
        smooth="input != max",
        kinks="bounds",
        at_kinks="At the bound the gradient goes to input whole, and 0 to the bound.",
    ),
    row(
        "maximum",
        "torch Tensor",
        "(input, other)",
        "Larger of both elements; NaN if either is.",
        smooth="input != other",
        kinks="ties",
        at_kinks="Equal elements get half the gradient each.",
    ),
    row(
        "minimum",
        "torch Tensor",
        "(input, other)",
        "Smaller of both elements; NaN if either is.",
        smooth="input != other",
        kinks="ties",
        at_kinks="Equal elements get half the gradient each.",
    ),
    row(
        "fmax",
        "torch Tensor",
        "(input, other)",
        "Larger of both elements; a NaN gives way to a number.",
        smooth="input != other",
        kinks="ties",
        at_kinks="Of equal elements input gets the gradient whole.",
    ),
    row(
        "fmin",
        "torch Tensor",
        "(input, other)",
        "Smaller of both elements; a NaN gives way to a number.",
        smooth="input != other",
        kinks="ties",
        at_kinks="Of equal elements input gets the gradient whole.",
    ),
    row(
        "where",
        "torch Tensor",
        "(condition, input, other) | (condition, self, other) | (condition) | Tensor(input, condition, other)",
        "Input where the condition holds, else other; the condition alone gives the indices where it holds.",
    ),
    row(
        "nan_to_num",
        "torch Tensor Tensor_ torch_",
        "(input, nan=None, posinf=None, neginf=None)",
        "Each element, with NaN and infinities replaced by numbers.",
        smooth="finite input",
        at_kinks="The slope is 0 where it replaces.",
    ),
    pointwise=True,
)
