"""One evaluation and one backward pass, watched: the value of every step, and the gradient that arrives there.

A step's result gets a tensor hook as it is made, so that nothing is retained and the graph is walked once. For steps
of one element the local derivative ∂(step)/∂(operand) comes from the step alone, run on detached operands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from gradcli.engine.gradient import Outcome, differentiate
from gradcli.engine.nodes import name_of, node_of
from gradcli.engine.operations import callable_of, operand_value
from gradcli.engine.readable import readable
from gradcli.engine.recording import Request, is_leaf, leads_back
from gradcli.language.program import Bind, Call, Input, Program, Ref, Step

Place = tuple[int, int | None]
"""A step, and which item of its result where that is a tuple."""


@dataclass(frozen=True, slots=True)
class Local:
    """The derivative of a step by one of its operands, which an earlier step (or input) made."""

    operand: int
    value: float


@dataclass(slots=True)
class Traced:
    """What is known of one step: its value when it was made, the facts of that moment, what arrived in backward."""

    value: torch.Tensor
    requires_grad: bool
    grad_fn: str | None
    grad: torch.Tensor | None = None
    local: tuple[Local, ...] = ()


@dataclass(slots=True)
class Watched:
    """Collects steps while they run."""

    program: Program
    steps: dict[Place, Traced] = field(default_factory=dict)
    values: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.values = [None] * len(self.program.steps)

    def __call__(self, index: int, value: Any) -> None:
        self.values[index] = value
        step = self.program.steps[index]
        if isinstance(step, Bind):
            return
        if isinstance(value, torch.Tensor):
            self._look(index, None, value)
        elif isinstance(value, tuple):
            for part, one in enumerate(value):
                if isinstance(one, torch.Tensor):
                    self._look(index, part, one)

    def _look(self, index: int, part: int | None, value: torch.Tensor) -> None:
        """Note a tensor that a step made, and wait for its gradient."""
        step = self.program.steps[index]
        name = name_of(node_of(value))
        kept = value.detach().clone() if self.program.writes else value.detach()
        traced = Traced(kept, value.requires_grad, name)
        if isinstance(step, Call) and part is None:
            traced.local = _locals(step, self.values, value)
        self.steps[index, part] = traced
        if leads_back(value) and (isinstance(step, Input) or not is_leaf(value)):
            value.register_hook(lambda grad: _arrived(traced, grad))  # type: ignore[no-untyped-call]


def _arrived(traced: Traced, grad: torch.Tensor | None) -> None:
    """Backward brings the whole gradient of a tensor once, the contributions of all its readers added up."""
    if grad is not None:
        traced.grad = readable(grad.detach())


def trace(request: Request) -> tuple[Outcome, dict[Place, Traced]]:
    """Evaluate a request and go back, as `differentiate` does, with every step looked at."""
    watched = Watched(request.program)
    outcome = differentiate(request, watched)
    return outcome, watched.steps


def _locals(step: Call, values: list[Any], result: torch.Tensor) -> tuple[Local, ...]:
    """The local derivatives of a step of one element by its operands of one element."""
    if result.numel() != 1 or not result.requires_grad or step.function.random or result.is_complex():
        return ()
    args = [operand_value(operand, values) for operand in step.args]
    places = [
        place
        for place, (operand, value) in enumerate(zip(step.args, args, strict=True))
        if isinstance(operand, Ref) and isinstance(value, torch.Tensor) and value.numel() == 1 and value.requires_grad
    ]
    if not places:
        return ()
    kwargs = {name: operand_value(operand, values) for name, operand in step.kwargs}
    fresh = [one.detach().clone() if isinstance(one, torch.Tensor) else one for one in args]
    leaves = [fresh[place].requires_grad_() for place in places]
    if step.function.writes:
        fresh = [one.clone() if isinstance(one, torch.Tensor) else one for one in fresh]
    try:
        with torch.enable_grad():
            made = callable_of(step)(*fresh, **kwargs)
            found = torch.autograd.grad(made.sum(), leaves, allow_unused=True)
    except (RuntimeError, TypeError, AttributeError):
        return ()
    return tuple(
        Local(_origin(step.args[place]), float(slope))
        for place, slope in zip(places, found, strict=True)
        if slope is not None
    )


def _origin(operand: Any) -> int:
    return operand.step if isinstance(operand, Ref) else -1


def source_of(program: Program, index: int) -> str:
    """The text of a step as the user wrote it, on one line; of a name bound, the name."""
    step: Step = program.steps[index]
    if isinstance(step, Bind):
        return step.name or source_of(program, _origin(step.operand))
    if isinstance(step, Input):
        return step.name
    return " ".join(program.source[step.span.start : step.span.end].split())
