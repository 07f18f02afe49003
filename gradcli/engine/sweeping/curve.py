"""The program along one swept input, in float64: f and ∂f/∂x as plain numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from gradcli.engine.comparing.point import rounded
from gradcli.engine.inputs import settings_of
from gradcli.engine.recording import Request, draws
from gradcli.engine.sweeping.field import Field, again
from gradcli.engine.sweeping.numbers import Numbers
from gradcli.engine.sweeping.ways import Points
from gradcli.engine.widening import widened
from gradcli.language.values import Given


@dataclass(frozen=True, eq=False, slots=True)
class Curve:
    """f along the input `name`, the other swept input held at `still`."""

    field: Field
    name: str
    still: dict[str, torch.Tensor]

    def __call__(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Values and gradients at the points of a tensor, in its shape; gradients are NaN where there are none."""
        return self._all(x, self.field.at)

    def bend(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Gradients, and their own: ∂f/∂x and ∂²f/∂x². Raises what torch raises where there are none."""
        return self._all(x, lambda points: self.field.bends(points, self.name))

    @property
    def alone(self) -> bool:
        """Whether every point takes an evaluation of its own."""
        return self.field.way == "loop"

    def _all(self, x: torch.Tensor, numbers_at: Callable[[Points], Numbers]) -> tuple[torch.Tensor, torch.Tensor]:
        flat = x.reshape(-1)
        values, grads = [], []
        for start in range(0, len(flat), self.field.chunk):
            part = flat[start : start + self.field.chunk]
            others = {name: one.expand(len(part)) for name, one in self.still.items()}
            numbers = numbers_at({**others, self.name: part})
            grad = numbers.grads[self.name]
            values.append(numbers.value.double())
            grads.append(torch.full_like(part, torch.nan) if grad is None else grad.double())
        if not values:
            return x.clone(), x.clone()
        return torch.cat(values).reshape(x.shape), torch.cat(grads).reshape(x.shape)


def wide(field: Field) -> Field:
    """The same field in float64, its fixed inputs with the numbers that they have in the dtype of the sweep.

    A text that draws random numbers keeps its dtypes: in another one it would draw others.
    """
    request = field.request
    given = tuple(_wide(one, request, field) for one in request.given)
    if draws(request):
        return again(field, request._replace(given=given))
    settings = settings_of(torch.float64, request.settings.device, request.settings.memory)
    program = widened(request.program)
    return again(field, request._replace(given=given, program=program, settings=settings, dtype=torch.float64))


def _wide(one: Given, request: Request, field: Field) -> Given:
    if one.name in request.swept or (request.program.random and hasattr(one.data, "steps")):
        return one
    data = rounded(field.sample.leaves[one.name].detach(), torch.float64)
    return one._replace(data=data, text=None)
