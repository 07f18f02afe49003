"""Central finite differences with a step chosen by error analysis, and the accuracy that they reach.

D(h) = (f(x + h) - f(x - h)) / 2h errs by truncation, which falls with h², and by rounding, which grows with 1/h.
Richardson's combination R = (16 D(h/4) - D(h)) / 15 removes the first order of truncation. Steps shrink by 4; of all
neighbouring R those three are taken that agree best, rounding counted, and what they disagree by is the accuracy
reached. Four steps do for most elements; the others get all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from gradcli.engine.checking.probe import Probe
from gradcli.engine.checking.sides import jump_of, kink_of, suspect

EPS = 2.0**-52
START, RATIO = 0.25, 4.0
OTHER = (0.19, 3.0)  # a second look at what disagrees: steps that round otherwise
FEW, ALL = range(2, 6), range(21)
GOOD = 1e-9  # of the largest slope: an accuracy with which few steps are enough


@dataclass(frozen=True, slots=True)
class Slope:
    """A numeric derivative and its accuracy; at a kink the slopes on both sides, at a jump its height.

    `natural` is |f| / |x|, a slope of ordinary size here.
    """

    value: float
    accuracy: float
    natural: float
    left: float | None = None
    right: float | None = None
    jump: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """For each step (rows) and element (columns) the quotients at the centre, right and left, and their rounding."""

    width: torch.Tensor
    centre: torch.Tensor
    right: torch.Tensor
    left: torch.Tensor
    noise: torch.Tensor

    def column(self, index: int) -> list[tuple[float, ...]]:
        """Of one element: width, centre, right, left, rounding, from the widest step to the narrowest."""
        parts = (self.width, self.centre, self.right, self.left, self.noise)
        return list(zip(*(part[:, index].tolist() for part in parts), strict=True))


def slopes(probe: Probe, name: str, weights: torch.Tensor) -> list[list[Slope]]:
    """For each row of weights, the derivative of the weighted sum of the outputs by each element of an input."""
    x = probe.subject.point[name].detach().reshape(-1)
    size = torch.where(x == 0, 1.0, x.abs())
    natural = ((weights.abs() @ probe.base.abs()).unsqueeze(1) / size).tolist()
    everything = torch.arange(len(x))
    usual = torch.maximum(size, 0.3 * x.square().mean().sqrt())  # small elements among larger ones need no small steps
    found = _read(tables(probe, name, everything, START * usual, RATIO, FEW, weights), natural, everything)
    poor = _poor(found, range(len(x)))
    for start in (size, torch.ones_like(size)):
        if not poor:
            break
        chosen = torch.tensor(poor)
        made = tables(probe, name, chosen, START * start[chosen], RATIO, ALL, weights)
        for row, better in zip(found, _read(made, natural, chosen), strict=True):
            for index, one in zip(poor, better, strict=True):
                row[index] = min(row[index], one, key=_doubt)
        poor = _poor(found, [index for index in poor if not 0.1 <= size[index] <= 10])
    return found


def again(probe: Probe, name: str, index: int, weights: torch.Tensor) -> Slope:
    """A second look at one element, with other steps."""
    x = probe.subject.point[name].detach().reshape(-1)[index]
    size = x.abs() if x != 0 else torch.ones_like(x)
    made = tables(probe, name, torch.tensor([index]), OTHER[0] * size.reshape(1), OTHER[1], ALL, weights.reshape(1, -1))
    natural = float(weights.abs() @ probe.base.abs() / size)
    return _read(made, [[natural] * (index + 1)], torch.tensor([index]))[0][0]


def tables(
    probe: Probe, name: str, indices: torch.Tensor, start: torch.Tensor, ratio: float, levels: Sequence[int],
    weights: torch.Tensor,
) -> list[Table]:  # fmt: skip
    """A table for each row of weights, of some elements of an input, with steps from `start` that shrink by `ratio`."""
    x = probe.subject.point[name].detach().reshape(-1)[indices]
    rows: list[list[tuple[torch.Tensor, ...]]] = [[] for _ in weights]
    sizes, moves = [], torch.zeros(len(x), len(probe.base), dtype=torch.bool)
    for level in levels:
        step = start / ratio**level
        up, down = (x + step) - x, x - (x - step)
        above, below = probe(name, indices, up), probe(name, indices, -down)
        moves |= above != below
        sizes.append(torch.maximum(above.abs(), below.abs()))
        for row, weight in zip(rows, weights, strict=True):
            sides = ((above - probe.base) @ weight) / up, ((probe.base - below) @ weight) / down
            row.append((up + down, ((above - below) @ weight) / (up + down), *sides))
    counted = moves | ~moves.any(1, keepdim=True)  # outputs that never move are not uncertain, unless none does
    return [
        _table(row, [(size * counted) @ weight.abs() for size in sizes])
        for row, weight in zip(rows, weights, strict=True)
    ]


def _table(row: list[tuple[torch.Tensor, ...]], sizes: list[torch.Tensor]) -> Table:
    width, centre, right, left = map(torch.stack, zip(*row, strict=True))
    return Table(width, centre, right, left, 4 * EPS * torch.stack(sizes) / width)


def _read(made: list[Table], natural: list[list[float]], indices: torch.Tensor) -> list[list[Slope]]:
    return [
        [_slope(table.column(place), row[index]) for place, index in enumerate(indices.tolist())]
        for table, row in zip(made, natural, strict=True)
    ]


def _slope(column: list[tuple[float, ...]], natural: float) -> Slope:
    """The derivative that the quotients of one element tell."""
    few = len(column) <= len(FEW)
    if few and suspect(column):
        return Slope(math.nan, math.inf, natural)
    if not few:
        kink = kink_of(column)
        if kink is not None:
            return Slope(math.nan, math.inf, natural, *kink)
    value, accuracy = _best(column)
    jump = None if few or accuracy <= 1e-3 * abs(value) else jump_of(column)
    return Slope(value, accuracy, natural, jump=jump)


def _best(column: list[tuple[float, ...]]) -> tuple[float, float]:
    """The combination whose neighbours agree best, and its accuracy."""
    best = (math.nan, math.inf)
    for window in zip(column, column[1:], column[2:], column[3:], strict=False):
        steps, centres = [one[0] for one in window], [one[1] for one in window]
        if not all(map(math.isfinite, centres)) or 0.0 in steps[-1:]:
            continue
        gains = [(a / b) ** 2 for a, b in zip(steps, steps[1:], strict=False)]
        first, second, third = (
            (gain * fine - coarse) / (gain - 1) for gain, coarse, fine in zip(gains, centres, centres[1:], strict=False)
        )
        accuracy = max(abs(first - second), abs(second - third)) + 2 * (window[2][4] + window[3][4])
        if accuracy < best[1]:
            best = (third, accuracy)
    return best


def _poor(found: list[list[Slope]], among: Sequence[int]) -> list[int]:
    """The elements that are not known well enough yet."""
    largest = [max((abs(one.value) for one in row if math.isfinite(one.value)), default=0.0) for row in found]

    def well(one: Slope, most: float) -> bool:
        return one.left is not None or one.accuracy <= GOOD * max(abs(one.value), 0.01 * most)

    return [
        index for index in among if not all(well(row[index], most) for row, most in zip(found, largest, strict=True))
    ]


def _doubt(one: Slope) -> tuple[bool, float]:
    """A kink that was found stands; else the better accuracy wins."""
    return one.left is None, one.accuracy
