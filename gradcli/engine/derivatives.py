"""Whole Jacobians, Hessians and directional derivatives of a recorded evaluation.

For outputs y of shape (m...) and an input x of shape (n...) the Jacobian ∂y/∂x has the shape (m..., n...). Reverse
mode makes it a row at a time (vᵀJ for each unit vector v), forward mode a column at a time (Jt for each unit t).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import torch

from gradcli.engine import forward
from gradcli.engine.failures import backward_failure
from gradcli.engine.gradient import Outcome, differentiate
from gradcli.engine.products import Widest, admit, rows
from gradcli.engine.recording import Request, quiet
from gradcli.engine.second import second_derivatives
from gradcli.engine.tangents import make_tangents
from gradcli.errors import GradcliError, Span
from gradcli.language.values import Given

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


@dataclass(frozen=True, slots=True)
class Tangents:
    """The directional derivative of each output, and the way to it; `refusal`: what forward mode failed with."""

    outcome: Outcome
    outputs: tuple[torch.Tensor, ...]
    tangents: Blocks
    way: Literal["forward", "twice", "rows"]
    refusal: Exception | str | None = None


def directional(request: Request, given: tuple[Given, ...]) -> Tangents:
    """J · t for a tangent t of some inputs, the others held fixed, in forward mode.

    Where that cannot answer, the gradient vᵀJ, which is linear in v, is differentiated by v along t (double backward);
    where that cannot either, the rows of J are made one by one.
    """
    widest = Widest()
    outcome = differentiate(request, widest)
    tangents = make_tangents(given, outcome, differentiable(outcome))
    refusal: Exception | str | None = forward.obstacle(outcome)
    with quiet():
        if refusal is None:
            try:
                return Tangents(outcome, tuple(forward.push(outcome, tangents)), tangents, "forward")
            except Exception as error:
                refusal = error
        try:
            outputs = tuple(_pulled_twice(one, outcome, tangents) for one in outcome.results)
            return Tangents(outcome, outputs, tangents, "twice", refusal)
        except Exception:
            pass
        try:
            outputs = tuple(_row_by_row(one, outcome, tangents, widest) for one in outcome.results)
            return Tangents(outcome, outputs, tangents, "rows", refusal)
        except Exception as error:
            raise _torch_error(error, request) from error


def _pulled_twice(result: torch.Tensor, outcome: Outcome, tangents: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """J · t by double backward."""
    along = {name: leaf for name, leaf in differentiable(outcome).items() if name in tangents}
    if not result.requires_grad or not along:
        return torch.zeros_like(result, dtype=None if _differs(result) else torch.get_default_dtype())
    vector = torch.zeros_like(result, requires_grad=True)
    pulled = torch.autograd.grad(
        result, list(along.values()), vector, create_graph=True, retain_graph=True, allow_unused=True
    )
    pairs = [(one, tangents[name]) for one, name in zip(pulled, along, strict=True) if one is not None]
    pairs = [(one, tangent) for one, tangent in pairs if one.requires_grad]
    if not pairs:
        return torch.zeros_like(result)
    ones, vectors = zip(*pairs, strict=True)
    return torch.autograd.grad(ones, vector, vectors, materialize_grads=True)[0]


def _row_by_row(
    result: torch.Tensor, outcome: Outcome, tangents: Mapping[str, torch.Tensor], widest: Widest
) -> torch.Tensor:
    """J · t from the rows of J: for a complex result those of the real part, then of the imaginary one."""
    along = {name: leaf for name, leaf in differentiable(outcome).items() if name in tangents}
    vectors = [tangents[name] for name in along]
    parts = [
        torch.stack([
            ((row.conj() if row.is_complex() else row) * tangent).flatten(1).sum(1)
            for row, tangent in zip(rows(result, list(along.values()), widest, unit), vectors, strict=True)
        ]).sum(0).reshape(result.shape)
        for unit in ((1, 1j) if result.is_complex() else (1,))
    ]  # fmt: skip
    real = [one.real if one.is_complex() else one for one in parts]
    return torch.complex(*real) if result.is_complex() else real[0].to(result.dtype)


def differentiable(outcome: Outcome) -> Blocks:
    """The live inputs to differentiate by: those that require grad, in the order of the answer."""
    live = {**outcome.made, **outcome.leaves}
    return {name: live[name] for name, view in outcome.inputs.items() if view.requires_grad}


def _complex(inputs: Blocks, outcome: Outcome) -> str | None:
    if any(one.is_complex() for one in (*inputs.values(), *outcome.results)):
        return "torch's convention for complex numbers is that of reverse mode"
    return None


def _differs(result: torch.Tensor) -> bool:
    return result.is_floating_point() or result.is_complex()


def _itemsize(inputs: Blocks) -> int:
    return max([one.itemsize for one in inputs.values()], default=1)


def _span(request: Request) -> Span:
    return request.program.outputs[0].span


def _torch_error(error: Exception, request: Request) -> GradcliError:
    """torch's refusal under the output; what a step says of itself as it is."""
    return error if isinstance(error, GradcliError) else backward_failure(error, _span(request))
