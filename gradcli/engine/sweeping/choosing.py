"""The fastest way to evaluate a program at many points that gives the numbers of `grad`.

A way is tried on a few points first and believed only where it agrees with `grad` there. What works element by element
is one broadcast; what vmap can do is evaluated in chunks; what it cannot do, a point after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from gradcli.engine.gradient import Outcome, differentiate
from gradcli.engine.memory import Room
from gradcli.engine.recording import Request
from gradcli.engine.sweeping.elementwise import is_elementwise
from gradcli.engine.sweeping.field import Field, at_one, numbers_of
from gradcli.engine.sweeping.numbers import Numbers, stacked
from gradcli.engine.sweeping.points import Axis, count_of, grid_part
from gradcli.engine.sweeping.ways import Points, broadcast, mapped
from gradcli.errors import GradcliError

WHOLE = 1 << 20  # points of one evaluation, memory allowing
NUMBERS = 1 << 20  # numbers of one intermediate result of a chunk
COPIES = 4  # of every intermediate result: its value, what is saved of it, its gradient, and room to work
LOOSE = 256  # units in the last place that another order of summing may be off by

Way = Callable[[Request, Points], Numbers]


def field_of(request: Request, axes: tuple[Axis, ...]) -> Field:
    """The field of a request, its way chosen by what it gives at the first, the last and a middle point.

    Raises GradcliError where torch refuses all of these.
    """
    count = count_of(axes)
    places = sorted({0, count // 2, count - 1})
    points = [grid_part(axes, place, place + 1) for place in places]
    wide = _Bytes()
    outcomes = list(_attempts(request, points, wide))
    sample = next(one for one in outcomes if isinstance(one, Outcome))
    left = Room(request.settings.memory).budget.left() if count > 1024 else 1 << 30
    chunk = max(min(WHOLE, left // (COPIES * max(wide.bytes, 1)), NUMBERS // wide.widest), 1)
    ways: list[tuple[str, Way]] = []
    if is_elementwise(request.program, sample.leaves, request.swept):
        ways.append(("broadcast", broadcast))
    if request.program.upstream is None:
        ways.append(("vmap", mapped))
    direct = [numbers_of(one) for one in outcomes if isinstance(one, Outcome)]
    if len(direct) == len(points):
        together = {name: torch.cat([one[name] for one in points]) for name in points[0]}
        for name, way in ways:
            if _agrees(way, request, together, direct):
                return Field(request, name, chunk, sample)
    return Field(request, "loop", 64, sample)


class _Bytes:
    """Watches an evaluation for the bytes of all its values, and the elements of the largest."""

    def __init__(self) -> None:
        self.bytes = 0
        self.widest = 1

    def __call__(self, index: int, value: Any) -> None:
        del index
        for one in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(one, torch.Tensor):
                self.bytes += one.numel() * one.element_size()
                self.widest = max(self.widest, one.numel())


def _attempts(request: Request, points: Iterable[Points], wide: _Bytes) -> Iterable[Outcome | GradcliError]:
    """What each point gives alone; the error where torch refuses it. Raises the first where it refuses all."""
    found: list[Outcome | GradcliError] = []
    for point in points:
        try:
            found.append(differentiate(at_one(request, point), None if found else wide))
        except GradcliError as error:
            if error.kind != "torch":
                raise
            found.append(error)
    if all(isinstance(one, GradcliError) for one in found):
        raise next(one for one in found if isinstance(one, GradcliError))
    return found


def _agrees(way: Way, request: Request, points: Points, direct: Sequence[Numbers]) -> bool:
    """Whether a way gives at some points what each gives alone."""
    try:
        found = way(request, points)
    except Exception:
        return False
    whole = stacked(direct, direct[0])
    pairs = [(found.value, whole.value), *((found.grads[name], whole.grads[name]) for name in whole.grads)]
    return all(_close(one, other) for one, other in pairs)


def _close(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if not (one.is_floating_point() or one.is_complex()):
        return bool((one == other).all())
    eps = torch.finfo(one.dtype).eps * LOOSE
    return torch.allclose(one, other, rtol=eps, atol=torch.finfo(one.dtype).tiny, equal_nan=True)
