"""A program as a function of its swept inputs, at any of their points."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gradcli.engine.gradient import Outcome
from gradcli.engine.recording import Request
from gradcli.engine.sweeping.numbers import Numbers, allocated, put, stacked
from gradcli.engine.sweeping.points import Axis, count_of, grid_part
from gradcli.engine.sweeping.ways import Points, alone, broadcast, mapped, total_of
from gradcli.errors import GradcliError
from gradcli.progress import tell


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
            whole = allocated(part, count) if whole is None else whole
            put(whole, part, start, stop)
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
        return stacked(found, numbers_of(self.sample))


def again(known: Field, request: Request) -> Field:
    """The field of the same program in another dtype."""
    return replace(known, request=request, refused=[])


def at_one(request: Request, point: Points) -> Request:
    """The request at one point: what `grad` would be asked there."""
    given = tuple(
        one._replace(data=point[one.name][0], text=None, constant=False) if one.name in request.swept else one
        for one in request.given
    )
    return request._replace(given=given)


def numbers_of(outcome: Outcome) -> Numbers:
    """What one evaluation gave, as the numbers of one point."""
    swept = outcome.request.swept
    grads = {name: None if (grad := outcome.inputs[name].grad) is None else grad.unsqueeze(0) for name in swept}
    return Numbers(total_of(one.value for one in outcome.outputs).unsqueeze(0), grads)
