"""Steps that are recorded, and give an operand that they depend on no gradient: a target that a loss only compares."""

from __future__ import annotations

from typing import Any

import torch

from gradcli.engine.defaults import tensors
from gradcli.engine.dependence import depends
from gradcli.engine.gradient import Outcome
from gradcli.engine.paths import Paths, values_at
from gradcli.engine.proving.again import again
from gradcli.language.program import Call, Input


def silent_step(outcome: Outcome, name: str, paths: Paths) -> tuple[Call, Any] | None:
    """The first step, and its value, that goes on without an input whose path leads to it; None where none does."""
    steps = paths.steps

    def live(index: int) -> list[int]:
        return [ref for ref in paths.live(index) if name in paths.sources[ref]]

    tried = {at for at in paths.wanted if isinstance(steps[at], Call) and not paths.made[at].lost and live(at)}
    leaf: list[torch.Tensor] = []
    mute: list[int] = []

    def watch(index: int, value: Any) -> None:
        step = steps[index]
        if isinstance(step, Input) and step.name == name:
            leaf.append(value)
        elif index in tried and leaf and not mute and not _gives(leaf[0], value):
            mute.append(index)

    if not tried or again(outcome, watch=watch, recorded=True) is None or not mute:
        return None
    index = mute[0]
    step, values = steps[index], values_at(outcome, index)
    proved = isinstance(step, Call) and values is not None and depends(step, values, live(index))
    return (step, values[index]) if proved else None  # type: ignore[return-value, index]


def _gives(leaf: torch.Tensor, value: Any) -> bool:
    """Whether a backward pass from a value gives a leaf a gradient."""
    roots = [one.sum() for one in tensors(value) if one.requires_grad and one.is_floating_point()]
    try:
        (found,) = torch.autograd.grad(roots, leaf, [torch.ones_like(one) for one in roots], True, allow_unused=True)
    except Exception:
        return True  # torch refuses; nothing is shown by that
    return found is not None
