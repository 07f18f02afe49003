"""What is told of a script at its end: its tensors, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from gradcli.ran import Run
from gradcli.training.tensors import named_tensors, seen


def look(
    script: str, arguments: tuple[str, ...], variables: Mapping[str, object], error: BaseException | None
) -> Run:
    """The answer of `run`, from the variables of the script and the exception that ended it."""
    with torch.no_grad():
        tensors = tuple(seen(name, one) for name, one in named_tensors(variables))
    return Run(script, arguments, "", tensors, ())
