"""Writes over what was saved for backward that torch does not notice: through .data, which has a version of its own.

Proved by going back with copies of what was saved, made when it was saved: where the gradients are others, those of
the answer were computed from numbers that were never used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks

from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import again
from gradcli.language.program import Call, Program
from gradcli.language.signature import writes


@dataclass(frozen=True, slots=True)
class Overlooked:
    """The step that wrote, the one that had saved, and the gradients by the numbers that were saved."""

    writer: Call
    owner: Call
    gradients: dict[str, torch.Tensor]


def overlooked(outcome: Outcome) -> Overlooked | None:
    """The first write over what was saved that torch took no notice of; None where there is none."""
    if not _may(outcome.request.program):
        return None
    watch = _Watch(outcome.request.program)
    with saved_tensors_hooks(watch.pack, watch.unpack):
        found = again(outcome, watch=watch, recorded=True)
        if found is None or watch.writer is None or watch.owner is None:
            return None
        return Overlooked(watch.writer, watch.owner, found.gradients())


def _may(program: Program) -> bool:
    named = {step.function.name for step in program.steps if isinstance(step, Call)} if program.writes else set()
    return "data" in named


class _Watch:
    """Copies what is saved, and sees which step writes over it first."""

    def __init__(self, program: Program) -> None:
        self.steps = program.steps
        self.live: list[torch.Tensor] = []
        self.copies: list[torch.Tensor] = []
        self.owners: list[Call] = []
        self.writer: Call | None = None
        self.owner: Call | None = None

    def pack(self, tensor: torch.Tensor) -> int:
        self.live.append(tensor.detach())
        self.copies.append(tensor.detach().clone())
        return len(self.copies) - 1

    def unpack(self, index: int) -> torch.Tensor:
        return self.copies[index]

    def __call__(self, index: int, _: Any) -> None:
        step = self.steps[index]
        if not isinstance(step, Call):
            return
        if self.writer is None and writes(step.function, step.args, step.kwargs):
            for live, copy, owner in zip(self.live, self.copies, self.owners, strict=False):
                if not bool(torch.isclose(live, copy, 0, 0, equal_nan=True).all()):
                    self.writer, self.owner = step, owner
                    break
        self.owners += [step] * (len(self.copies) - len(self.owners))
