"""A program as a function of its swept inputs, evaluated in the fastest way that gives the numbers of `grad`.

A way is tried on a few points first and believed only where it agrees with `grad` there. What works element by element
is one broadcast; what vmap can do is evaluated in chunks; what it cannot do, a point after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from gradcli.engine.gradient import Outcome, differentiate
from gradcli.engine.memory import Room
from gradcli.engine.recording import Request
from gradcli.engine.sweeping.elementwise import is_elementwise
from gradcli.engine.sweeping.points import Axis, count_of, grid_part
from gradcli.engine.sweeping.ways import Numbers, Points, alone, broadcast, mapped
from gradcli.errors import GradcliError
from gradcli.progress import tell

WHOLE = 1 << 20  # points of one evaluation, memory allowing
NUMBERS = 1 << 20  # numbers of one intermediate result of a chunk
COPIES = 4  # of every intermediate result: its value, what is saved of it, its gradient, and room to work
LOOSE = 256  # units in the last place that another order of summing may be off by


@dataclass(frozen=True, eq=False, slots=True)
class Field:
    """The request, how its points are evaluated, how many at a time, and what it gave at one point alone.

    `refused` collects what torch refused, by the place of the point in its call.
    """

    request: Request
    way: str
    chunk: int
    sample: Outcome
    refused: list[tuple[int, GradcliError]] = field(default_factory=list)

    def at(self, points: Points) -> Numbers:
        """The numbers at points that fit one evaluation."""
        return self._part(points, 0)

    def bends(self, points: Points, name: str) -> Numbers:
        """The gradient by one input, and its own gradients. Raises what torch raises where it has none."""
        return (broadcast if self.way == "broadcast" else mapped)(self.request, points, name)

    def over(self, axes: tuple[Axis, ...]) -> Numbers:
        """The numbers at all points of a grid, in row-major order."""
        count = count_of(axes)
        if count <= self.chunk:
            return self._part(grid_part(axes, 0, count), 0)
        whole: Numbers | None = None
        for start in range(0, count, self.chunk):
            stop = min(start + self.chunk, count)
            part = self._part(grid_part(axes, start, stop), start)
            whole = _room(part, count) if whole is None else whole
            _put(whole, part, start, stop)
            tell(stop, count)
        assert whole is not None
        return whole

    def _part(self, points: Points, start: int) -> Numbers:
        if self.way == "broadcast":
            return broadcast(self.request, points)
        if self.way == "vmap":
            try:
                return mapped(self.request, points)
            except Exception as error:
                if isinstance(error, GradcliError) and error.kind == "bounds":
                    raise
        return self._loop(points, start)

    def _loop(self, points: Points, start: int) -> Numbers:
        """A point after the other; where torch refuses one, its numbers are NaN."""
        found: list[Numbers | None] = []
        for index in range(len(next(iter(points.values())))):
            try:
                found.append(alone(self.request, {name: one[index : index + 1] for name, one in points.items()}))
            except GradcliError as error:
                if error.kind != "torch":
                    raise
                self.refused.append((start + index, error))
                found.append(None)
        return _stacked(found, _numbers_of(self.sample))


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
    chunk = max(min(WHOLE, left // (COPIES * max(wide.bytes, 1))), 1)
    ways: list[tuple[str, Callable[[Request, Points], Numbers], int]] = []
    if is_elementwise(request.program, sample.leaves, request.swept):
        ways.append(("broadcast", broadcast, max(min(chunk, NUMBERS // max(wide.widest, 1)), 1)))
    if request.program.upstream is None:
        ways.append(("vmap", mapped, max(min(chunk, NUMBERS // max(wide.widest, 1)), 1)))
    if all(isinstance(one, Outcome) for one in outcomes):
        direct = [_numbers_of(one) for one in outcomes if isinstance(one, Outcome)]
        together = {name: torch.cat([one[name] for one in points]) for name in points[0]}
        for name, way, size in ways:
            if _agrees(way, request, together, direct):
                return Field(request, name, size, sample)
    return Field(request, "loop", 64, sample)


def again(known: Field, request: Request) -> Field:
    """The field of the same program in another dtype."""
    return replace(known, request=request, refused=[])


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


def at_one(request: Request, point: Points) -> Request:
    """The request at one point: what `grad` would be asked there."""
    given = tuple(
        one._replace(data=point[one.name][0], text=None, constant=False) if one.name in request.swept else one
        for one in request.given
    )
    return request._replace(given=given)


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


def _numbers_of(outcome: Outcome) -> Numbers:
    """What one evaluation gave, as the numbers of one point."""
    values = [one.value.reshape(()) if one.value.numel() == 1 else one.value.sum() for one in outcome.outputs]
    total = values[0]
    for one in values[1:]:
        total = total + one
    swept = outcome.request.swept
    grads = {name: None if (grad := outcome.inputs[name].grad) is None else grad.unsqueeze(0) for name in swept}
    return Numbers(total.unsqueeze(0), grads)


def _agrees(way: Callable[[Request, Points], Numbers], request: Request, points: Points, direct: list[Numbers]) -> bool:
    """Whether a way gives at some points what each gives alone."""
    try:
        found = way(request, points)
    except Exception:
        return False
    whole = _stacked(list(direct), direct[0])
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


def _stacked(found: list[Numbers | None], like: Numbers) -> Numbers:
    """The numbers of single points in one; NaN where there are none."""
    missing = Numbers(_nan(like.value), {name: None if one is None else _nan(one) for name, one in like.grads.items()})
    each = [one or missing for one in found]
    grads = {}
    for name, one in like.grads.items():
        parts = [part for numbers in each if (part := numbers.grads[name]) is not None]
        grads[name] = None if one is None or len(parts) < len(each) else torch.cat(parts)
    return Numbers(torch.cat([one.value for one in each]), grads)


def _nan(like: torch.Tensor) -> torch.Tensor:
    numeric = like.is_floating_point() or like.is_complex()
    return torch.full_like(like, torch.nan) if numeric else torch.full(like.shape, torch.nan)


def _room(like: Numbers, count: int) -> Numbers:
    """Memory for the numbers at so many points."""
    return Numbers(
        like.value.new_empty((count, *like.value.shape[1:])),
        {name: None if one is None else one.new_empty((count, *one.shape[1:])) for name, one in like.grads.items()},
    )


def _put(whole: Numbers, part: Numbers, start: int, stop: int) -> None:
    whole.value[start:stop] = part.value
    for name, one in whole.grads.items():
        given = part.grads[name]
        if one is not None and given is not None:
            one[start:stop] = given
