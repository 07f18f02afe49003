"""The points of a sweep: a range spaced out, or the rows of a list; two swept inputs make a grid."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from gradcli.engine.inputs import make_tensor
from gradcli.engine.memory import Room, counted, shown
from gradcli.engine.recording import Request, recordable, seeded
from gradcli.errors import GradcliError
from gradcli.language.ranges import Range

PART = 1 << 15  # points that are made at once: they stay in the cache


class Axis(NamedTuple):
    """The values of one swept input, the first dimension over its points: (points, *shape of the input)."""

    name: str
    values: torch.Tensor

    @property
    def scalar(self) -> bool:
        """Whether a point is one real number, so that points have an order."""
        return self.values.dim() == 1 and self.values.is_floating_point()


def axes_of(request: Request) -> tuple[Axis, ...]:
    """The values of each swept input, in the order of the call.

    Raises GradcliError of kind bounds where the sweep does not fit the memory budget, before any of it is made.
    """
    _admit_ranges(request)
    with recordable(), seeded(request):
        axes = tuple(_axis(one.name, one.data, request) for one in request.given if one.name in request.swept)
    _admit(request, math.prod(len(one.values) for one in axes), axes[0].values.element_size())
    return axes


def _axis(name: str, data: object, request: Request) -> Axis:
    given = next(one for one in request.given if one.name == name)
    if isinstance(data, Range):
        dtype = request.dtype if request.dtype is not None else torch.get_default_dtype()
        most = torch.finfo(dtype).max
        if max(abs(data.start), abs(data.stop)) > most:
            kind = str(dtype).removeprefix("torch.")
            message = f"the range of {name} goes beyond {most:.6g}, where {kind} ends"
            raise GradcliError("value", message, hint="a narrower range, or --dtype float64")
        return Axis(name, spaced(data, dtype).to(request.settings.device or "cpu"))
    values = make_tensor(given, request.dtype, request.settings, False).detach()
    if values.dim() == 0 or not len(values):
        told = "is one number" if values.dim() == 0 else "has no elements"
        hint = f"give a list, --at {name}=[1, 2, 3], or a range, --at {name}=-5:5:101"
        raise GradcliError("value", f"{name} is swept over its first dimension, and it {told}", hint=hint)
    return Axis(name, values)


def spaced(given: Range, dtype: torch.dtype) -> torch.Tensor:
    """The points of a range, made in float64 and rounded once: ends are exact, and so is a 0 in the middle."""
    found = torch.empty(given.count, dtype=dtype)
    start, stop = (math.log10(given.start), math.log10(given.stop)) if given.log else (given.start, given.stop)
    most = given.count - 1
    wide = max(abs(start), abs(stop)) * most > 1e300
    for first in range(0, given.count, PART):
        last = min(first + PART, given.count)
        part = torch.arange(first, last, dtype=torch.float64)
        if wide:
            part.div_(most).mul_(stop - start).add_(start)
        else:
            part.mul_(stop - start).add_(start * most).div_(most)
        found[first:last] = torch.pow(10.0, part) if given.log else part
    found[0], found[-1] = given.start, given.stop
    return found


def _admit_ranges(request: Request) -> None:
    """Refuse ranges that no memory holds, from their counts alone."""
    counts = [one.data.count for one in request.given if one.name in request.swept and isinstance(one.data, Range)]
    size = (request.dtype if request.dtype is not None else torch.get_default_dtype()).itemsize
    _admit(request, math.prod(counts), size)


def _admit(request: Request, points: int, size: int) -> None:
    """A value and a gradient for each point, and as much again while they are computed."""
    needed = points * size * 2 * (1 + len(request.swept))
    if needed < 1 << 20:
        return
    left = Room(request.settings.memory).budget.left()
    if needed > left:
        message = f"a sweep of {counted(points)} points needs {shown(needed)}, and {shown(max(left, 0))} are left"
        hint = "fewer points; --max-memory sets what may be taken"
        raise GradcliError("bounds", message, hint=hint)


def grid_part(axes: tuple[Axis, ...], start: int, stop: int) -> dict[str, torch.Tensor]:
    """The points `start:stop` of all, in row-major order of the grid: (stop - start, *shape) for each input."""
    if len(axes) == 1:
        return {axes[0].name: axes[0].values[start:stop]}
    flat = torch.arange(start, stop, device=axes[0].values.device)
    across = len(axes[1].values)
    return {axes[0].name: axes[0].values[flat // across], axes[1].name: axes[1].values[flat % across]}


def count_of(axes: tuple[Axis, ...]) -> int:
    """How many points there are."""
    return math.prod(len(one.values) for one in axes)
