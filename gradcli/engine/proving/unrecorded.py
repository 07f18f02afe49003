"""Writes to results that are not recorded, under no_grad or through detach(): the value has them, the gradient has not.

Proved by the slope of the whole answer, which is another than the gradient.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import again
from gradcli.engine.proving.sloping import slopes
from gradcli.engine.recording import is_leaf
from gradcli.language.program import Call, Program, references
from gradcli.language.signature import writes

TRIED = 3  # elements of an input whose slopes are taken
OFF = 1e-3  # by how much of a slope a gradient is another


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """The last such write, and an element of an input: its gradient, and the slope."""

    step: Call
    name: str
    index: int
    got: float
    slope: float


def unrecorded(outcome: Outcome, gradients: dict[str, torch.Tensor]) -> list[Unrecorded]:
    """The inputs whose gradients do not follow such a write, each with the last write that there is."""
    if not outcome.request.program.writes:
        return []
    watch = _Watch(outcome.request.program)
    if again(outcome, watch=watch) is None or not watch.found:
        return []
    found = []
    for name, grad in gradients.items():
        count = grad.numel()
        for index in sorted({0, count // 2, count - 1} if count else ())[:TRIED]:
            one = _off(outcome, name, index, grad)
            if one is not None:
                found.append(Unrecorded(watch.found[-1], name, index, *one))
                break
    return found


def _off(outcome: Outcome, name: str, index: int, grad: torch.Tensor) -> tuple[float, float] | None:
    """A gradient and the slope, where that is another on both sides."""
    got = grad.reshape(-1)[index]
    found = slopes(outcome, name, index) if not got.is_complex() and bool(got.isfinite()) else None
    if found is None or not found.finite or not found.settled:
        return None
    true, size = (found.left + found.right) / 2, max(found.scale, abs(float(got)))
    if abs(found.left - found.right) > OFF * size or abs(float(got) - true) <= 10 * OFF * size:
        return None
    return float(got), true


class _Watch:
    """Collects the steps that write, unrecorded, to the memory of a result that leads back."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.live: dict[int, Any] = {}
        self.found: list[Call] = []

    def __call__(self, index: int, value: Any) -> None:
        step = self.program.steps[index]
        if isinstance(step, Call) and writes(step.function, step.args, step.kwargs) and self._unseen(step):
            self.found.append(step)
        self.live[index] = value
        for done in self.program.frees[index]:
            self.live.pop(done, None)

    def _unseen(self, step: Call) -> bool:
        target = self.live.get(next(iter(references(step.args[0])), -1)) if step.args else None
        if not isinstance(target, torch.Tensor) or (torch.is_grad_enabled() and target.requires_grad):
            return False
        memory = target.untyped_storage().data_ptr()
        return any(
            isinstance(one, torch.Tensor)
            and one.requires_grad
            and not is_leaf(one)
            and one.untyped_storage().data_ptr() == memory
            for one in self.live.values()
        )
