"""The gradient of the gradient: what of it torch has, and where the answer is zero without it."""

from __future__ import annotations

import re
from typing import Any

import torch

from gradcli.engine.failures import backward_failure, torch_message
from gradcli.engine.forward import fresh_leaves
from gradcli.engine.gradient import Outcome
from gradcli.engine.nodes import node_of
from gradcli.engine.products import Widest, rows
from gradcli.engine.recording import record, seeded
from gradcli.errors import GradcliError, Span
from gradcli.language.program import Call

Blocks = dict[str, torch.Tensor]

TRIES = 4  # other points at which a gradient is compared
STEP = 0.01  # how far away they are, against the size of the numbers


def second_derivatives(outcome: Outcome, inputs: Blocks, widest: Widest) -> tuple[dict[str, Blocks], frozenset[str]]:
    """The blocks ∂²Σy/∂a∂b for every two inputs, rows by a, columns by b.

    Also the inputs that torch has no second derivative for, whose gradients were found to be constant instead.
    """
    gradients = gradient(outcome, outcome.results, inputs)
    found: dict[str, Blocks] = {}
    flat: set[str] = set()
    for name, first in gradients.items():
        shape = inputs[name].shape
        try:
            blocks = rows(first, list(inputs.values()), widest)
        except Exception as error:
            blocks = [_zero(outcome, name, other, inputs, error) for other in inputs]
            flat.add(name)
        found[name] = {
            other: block.reshape(shape + inputs[other].shape) for other, block in zip(inputs, blocks, strict=True)
        }
    return found, frozenset(flat)


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
    if not stays_constant(outcome, name, other, inputs):
        raise no_second_derivative(outcome, error) from error
    return torch.zeros(
        inputs[name].numel(), *inputs[other].shape, dtype=inputs[other].dtype, device=inputs[other].device
    )


def stays_constant(outcome: Outcome, name: str, other: str, inputs: Blocks) -> bool:
    """Whether the gradient by `name` is the same at other values of `other`, near the ones given."""
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
    """The columns of the only step whose node has the name that torch's text mentions; else those of the output."""
    program = outcome.request.program
    said = _plain(text)
    places: set[Span] = set()

    def watch(index: int, value: Any) -> None:
        node = node_of(value) if isinstance(value, torch.Tensor) else None
        if isinstance(program.steps[index], Call) and node is not None and _plain(node.name()[:-1]) in said:
            places.add(program.steps[index].span)

    with seeded(outcome.request):
        leaves = {name: leaf.requires_grad_(leaf.is_floating_point()) for name, leaf in fresh_leaves(outcome).items()}
        record(outcome.request, leaves, None, watch)
    return places.pop() if len(places) == 1 else program.outputs[0].span


def _plain(name: str) -> str:
    """GridSampler2DBackward0 and grid_sampler_2d_backward alike."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
