"""Whole Jacobians and Hessians of a recorded evaluation.

For outputs y of shape (m...) and an input x of shape (n...) the Jacobian ∂y/∂x has the shape (m..., n...). Reverse
mode makes it a row at a time (vᵀJ for each unit vector v), forward mode a column at a time (Jt for each unit t).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

from gradcli.engine import forward
from gradcli.engine.failures import backward_failure
from gradcli.engine.gradient import Outcome, differentiate
from gradcli.engine.products import Widest, admit, rows
from gradcli.engine.recording import Request, quiet
from gradcli.engine.second import second_derivatives
from gradcli.errors import GradcliError, Span

Direction = Literal["forward", "reverse"]
Blocks = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Jacobians:
    """For each output its derivative by each input; `refusal`: what forward mode, which was better, failed with."""

    outcome: Outcome
    blocks: tuple[Blocks, ...]
    direction: Direction
    refusal: Exception | None = None


def jacobian(request: Request, wished: Direction | None = None) -> Jacobians:
    """The derivative of every output by every input that requires grad; zeros where an input does not reach it.

    Without a wish, forward mode where the inputs have fewer elements than the outputs. Raises GradcliError of kind
    bounds where the matrix does not fit, usage where forward mode is wished and cannot answer, torch as torch does.
    """
    widest = Widest()
    outcome = differentiate(request, widest)
    inputs = differentiable(outcome)
    by = sum(one.numel() for one in inputs.values())
    of = sum(one.numel() for one in outcome.results)
    admit("the Jacobian", of * by, _itemsize(inputs), request.settings.memory, _span(request))
    obstacle = forward.obstacle(outcome) or _complex(inputs, outcome)
    if wished == "forward" and obstacle:
        raise forward.refused(obstacle)
    refusal: Exception | None = None
    with quiet():
        if wished == "forward" or (wished is None and 0 < by < of and not obstacle):
            try:
                return Jacobians(outcome, _forward(outcome, inputs, widest), "forward")
            except Exception as error:
                if wished:
                    raise _torch_error(error, request) from error
                refusal = error
        try:
            return Jacobians(outcome, _reverse(outcome, inputs, widest), "reverse", refusal)
        except Exception as error:
            raise _torch_error(error, request) from error


def _reverse(outcome: Outcome, inputs: Blocks, widest: Widest) -> tuple[Blocks, ...]:
    found = []
    for result in outcome.results:
        blocks = dict(zip(inputs, rows(result, list(inputs.values()), widest), strict=True))
        if result.is_complex():
            blocks |= _imaginary(result, inputs, blocks, widest)
        found.append({name: block.reshape(result.shape + inputs[name].shape) for name, block in blocks.items()})
    return tuple(found)


def _imaginary(result: torch.Tensor, inputs: Blocks, blocks: Blocks, widest: Widest) -> Blocks:
    """Real inputs have a complex derivative; for complex ones torch's convention tells of the real part alone."""
    real = {name: one for name, one in inputs.items() if not one.is_complex()}
    parts = rows(result, list(real.values()), widest, 1j)
    return {name: torch.complex(blocks[name], part) for name, part in zip(real, parts, strict=True)}


def _forward(outcome: Outcome, inputs: Blocks, widest: Widest) -> tuple[Blocks, ...]:
    found: tuple[Blocks, ...] = tuple({} for _ in outcome.results)
    for name, leaf in inputs.items():
        for blocks, columns in zip(found, forward.columns(outcome, name, widest), strict=True):
            whole = columns.movedim(0, -1).reshape(columns.shape[1:] + leaf.shape)
            blocks[name] = whole.to(leaf.dtype).contiguous()
    return found


@dataclass(frozen=True, slots=True)
class Hessians:
    """The second derivatives of the sum of all outputs: by the first name, then by the second.

    `flat`: the inputs that torch has none for, and whose first derivative was found to be constant instead.
    """

    outcome: Outcome
    blocks: dict[str, Blocks]
    flat: frozenset[str] = frozenset()

    def size(self, name: str) -> int:
        """How many elements an input has."""
        return self.outcome.inputs[name].value.numel()


def hessian(request: Request) -> Hessians:
    """The second derivative of the sum of the output by every pair of inputs, of shape (first input, second input).

    Zeros where the first derivative is constant. Raises GradcliError of kind bounds where it does not fit, torch where
    the output is complex (G205) or a step has no second derivative (G206).
    """
    widest = Widest()
    outcome = differentiate(request, widest)
    inputs = differentiable(outcome)
    size = sum(one.numel() for one in inputs.values())
    admit("the Hessian", size * size, _itemsize(inputs), request.settings.memory, _span(request))
    with quiet():
        return Hessians(outcome, *second_derivatives(outcome, inputs, widest))


def differentiable(outcome: Outcome) -> Blocks:
    """The live inputs to differentiate by: those that require grad, in the order of the answer."""
    live = {**outcome.made, **outcome.leaves}
    return {name: live[name] for name, view in outcome.inputs.items() if view.requires_grad}


def _complex(inputs: Blocks, outcome: Outcome) -> str | None:
    if any(one.is_complex() for one in (*inputs.values(), *outcome.results)):
        return "torch's convention for complex numbers is that of reverse mode"
    return None


def _itemsize(inputs: Blocks) -> int:
    return max([one.itemsize for one in inputs.values()], default=1)


def _span(request: Request) -> Span:
    return request.program.outputs[0].span


def _torch_error(error: Exception, request: Request) -> GradcliError:
    """torch's refusal under the output; what a step says of itself as it is."""
    return error if isinstance(error, GradcliError) else backward_failure(error, _span(request))
