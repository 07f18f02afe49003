"""The gradient of the gradient: what of it torch has, and where the answer is zero without it."""

from __future__ import annotations

import re

import torch

from gradcli.engine.failures import backward_failure, torch_message
from gradcli.engine.forward import fresh_leaves
from gradcli.engine.gradient import Outcome
from gradcli.engine.products import Widest, rows
from gradcli.engine.recording import record, seeded
from gradcli.errors import GradcliError, Span

Blocks = dict[str, torch.Tensor]

TRIES = 4  # other points at which a gradient is compared
STEP = 0.01  # how far away they are, against the size of the numbers


def second_derivatives(outcome: Outcome, inputs: Blocks, widest: Widest) -> dict[str, Blocks]:
    """The blocks ∂²Σy/∂a∂b for every two inputs, rows by a, columns by b."""
    gradients = gradient(outcome, outcome.results, inputs)
    found: dict[str, Blocks] = {}
    for name, first in gradients.items():
        shape = inputs[name].shape
        try:
            blocks = rows(first, list(inputs.values()), widest)
        except Exception as error:
            blocks = [_zero(outcome, name, other, inputs, error) for other in inputs]
        found[name] = {
            other: block.reshape(shape + inputs[other].shape) for other, block in zip(inputs, blocks, strict=True)
        }
    return found


def gradient(outcome: Outcome, results: tuple[torch.Tensor, ...], inputs: Blocks) -> Blocks:
    """The gradient of the sum of some results, itself recorded; zeros for inputs that do not reach them."""
    sums = [one.sum() for one in results if one.requires_grad]
    if not sums or not inputs:
        return {name: torch.zeros_like(one, requires_grad=False) for name, one in inputs.items()}
    try:
        found = torch.autograd.grad(sums, list(inputs.values()), create_graph=True, materialize_grads=True)
    except Exception as error:
        raise backward_failure(error, outcome.request.program.outputs[0].span) from error
    return dict(zip(inputs, found, strict=True))


def _zero(outcome: Outcome, name: str, other: str, inputs: Blocks, error: Exception) -> torch.Tensor:
    """A block of zeros, where the gradient of `name` is the same at other values of `other`; the refusal otherwise."""
    if not _constant(outcome, name, other, inputs):
        raise no_second_derivative(outcome, error) from error
    return torch.zeros(inputs[name].numel(), *inputs[other].shape, dtype=inputs[other].dtype)


def _constant(outcome: Outcome, name: str, other: str, inputs: Blocks) -> bool:
    here = _gradient_at(outcome, name, inputs, {})
    generator = torch.Generator().manual_seed(0)
    for _ in range(TRIES):
        point = inputs[other].detach()
        noise = torch.randn(point.shape, generator=generator, dtype=torch.float64).to(point)
        there = _gradient_at(outcome, name, inputs, {other: point + STEP * (1 + point.abs()) * noise})
        tolerance = 64 * torch.finfo(here.dtype).eps * here.abs().max() if here.numel() else 0
        if not bool(((there - here).abs() <= tolerance).all()):
            return False
    return True


def _gradient_at(outcome: Outcome, name: str, inputs: Blocks, moved: Blocks) -> torch.Tensor:
    """The first derivative by `name` with other values for some inputs."""
    with seeded(outcome.request):
        leaves = {**fresh_leaves(outcome), **moved}
        for one in inputs:
            if one in leaves:
                leaves[one] = leaves[one].detach().requires_grad_()
        recording = record(outcome.request, leaves, None)
    live = {**recording.made, **leaves}
    return gradient(outcome, recording.results, {name: live[name]})[name].detach()


def no_second_derivative(outcome: Outcome, error: Exception) -> GradcliError:
    """torch's refusal to go back twice, under the step whose backward it names."""
    text = torch_message(error)
    return GradcliError("torch", f"torch has no second derivative here: {text}", span=_place(outcome, text))


def _place(outcome: Outcome, text: str) -> Span:
    return outcome.request.program.outputs[0].span


_NAMED = re.compile(r"aten::(\w+)")
