"""Directional derivatives: the product J · t of the Jacobian and a tangent of the inputs, without the Jacobian."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import torch

from gradcli.engine import forward
from gradcli.engine.derivatives import Blocks, differentiable
from gradcli.engine.failures import backward_failure
from gradcli.engine.gradient import Outcome, differentiate
from gradcli.engine.products import Widest, rows
from gradcli.engine.recording import Request, quiet
from gradcli.engine.tangents import make_tangents
from gradcli.errors import GradcliError
from gradcli.language.values import Given


@dataclass(frozen=True, slots=True)
class Tangents:
    """The tangent of each output, of its shape, for these of the inputs, and the way to it.

    `refusal`: what forward mode failed with, where it is not the way.
    """

    outcome: Outcome
    outputs: tuple[torch.Tensor, ...]
    tangents: Blocks
    way: Literal["forward", "twice", "rows"]
    refusal: Exception | str | None = None


def directional(request: Request, given: tuple[Given, ...]) -> Tangents:
    """J · t for a tangent t of some inputs, the others held fixed, in forward mode.

    Where that cannot answer, the gradient vᵀJ, which is linear in v, is differentiated by v along t (double backward);
    where that cannot either, the rows of J are made one by one. Raises GradcliError of kind usage or value where a
    tangent fits no input, torch as torch does.
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
        except GradcliError:
            raise
        except Exception as error:
            raise backward_failure(error, request.program.outputs[0].span) from error


def _pulled_twice(result: torch.Tensor, outcome: Outcome, tangents: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """J · t by double backward."""
    along = {name: leaf for name, leaf in differentiable(outcome).items() if name in tangents}
    if not result.requires_grad or not along:
        numeric = result.is_floating_point() or result.is_complex()
        return torch.zeros_like(result, dtype=None if numeric else torch.get_default_dtype())
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
