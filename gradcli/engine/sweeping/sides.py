"""The numbers on one side of a place, ever closer: whether they settle down, or grow without bound.

At offsets δ, δ/4, δ/16, … what is continuous moves by ever less; what grows without bound goes on growing by as much.
"""

from __future__ import annotations

from itertools import pairwise
from math import isfinite
from typing import NamedTuple

import torch

OFFSETS = 13  # each a quarter of the one before
NEAREST = (4, 6, 9)  # numbers away from the place, beside these: their spread is what rounding makes of slopes there
GROWS = 0.7  # of the growth over the offsets before: no bound in sight
STEEPER = 1.1  # times the slope of the value further away: it grows
HUGE = 2.0**1019  # where float64 ends


class Approach(NamedTuple):
    """One side of places, a column an offset, ever closer: values and slopes; the last ones are next to the place."""

    f: torch.Tensor
    g: torch.Tensor
    offsets: torch.Tensor
    nearest: torch.Tensor

    @property
    def there(self) -> torch.Tensor:
        """Whether the curve has numbers on this side."""
        return self.f[:, 6 : OFFSETS + 1].isfinite().all(1)


def offsets_of(width: torch.Tensor, ulp: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """How far the points on one side of places are from them: ever closer, and next to them."""
    scale = 0.25 ** torch.arange(OFFSETS, dtype=torch.float64)
    offsets = torch.maximum(width[:, None] * scale, 64 * ulp[:, None])
    return offsets, torch.maximum(ulp, 2.5e-15 * width)[:, None] * ulp.new_tensor(NEAREST)


class Side:
    """The numbers of one side of one place.

    `unbounded`: the value grows without bound, not just beyond what float64 holds; `steep`: the slope does; `rough`:
    what rounding makes of the slope next to the place.
    """

    def __init__(self, numbers: Approach, index: int) -> None:
        self.f: list[float] = numbers.f[index, :OFFSETS].tolist()
        self.g: list[float] = numbers.g[index, :OFFSETS].tolist()
        self.near_f, self.near_g = float(numbers.f[index, OFFSETS]), float(numbers.g[index, OFFSETS])
        self.offsets: list[float] = numbers.offsets[index].tolist()
        self.near = float(numbers.nearest[index, 0])
        self.there = bool(numbers.there[index])
        nearest = numbers.g[index, OFFSETS:].tolist()
        self.rough = max(nearest) - min(nearest)
        ends = HUGE < abs(self.near_f) < float("inf")
        last = max((at for at in range(1, OFFSETS) if self.offsets[at] < self.offsets[at - 1]), default=0)
        self.unbounded = _unbounded(self.f, last) and not ends
        self.steep = _unbounded(self.g, last) and not ends
        if (self.steep or not isfinite(self.near_g)) and not self.unbounded and not self._value_steepens():
            self._smoothed()

    def _value_steepens(self) -> bool:
        """Whether the slopes of the value itself grow."""
        wide, closer, close = (
            abs(self.f[at] - self.f[at + 1]) / (self.offsets[at] - self.offsets[at + 1] or 1.0) for at in (1, 4, 7)
        )
        return not (closer <= STEEPER * wide or close <= STEEPER**2 * wide)

    def _smoothed(self) -> None:
        """The gradient as it is before its rounding grows: that of `asin(sin(x))` does where sin(x) is near 1."""
        limits = [(4 * close - wide) / 3 for wide, close in pairwise(self.g)]
        moves = [abs(close - wide) for wide, close in pairwise(limits)]
        best = min(range(len(moves)), key=lambda at: moves[at] if moves[at] == moves[at] else float("inf"))
        self.g[best + 1 :] = [limits[best]] * (len(self.g) - best - 1)
        self.near_g, self.rough, self.steep = float(f"{limits[best]:.6g}"), 0.0, False

    def turn(self) -> int:
        """The sign of the slope near the place."""
        slope = self.g[-1] if self.g[-1] == self.near_g or abs(self.g[-1]) > abs(self.g[3]) * 1e-3 else self.g[3]
        return (slope > 0) - (slope < 0)


def _unbounded(values: list[float], at: int) -> bool:
    """Whether numbers grow on and on: over all offsets, and over the last ones that differ, `at` the closest."""
    first, middle, last = values[0], values[6], values[12]
    if not abs(last) < float("inf"):
        return last == last and abs(first) < float("inf")  # else it has overflowed all along
    grown = abs(last - middle)
    if at > 1 and abs(values[at] - values[at - 1]) <= GROWS * abs(values[at - 1] - values[at - 2]):
        return False
    return grown > GROWS * abs(middle - first) and abs(last) > abs(middle) and grown > 1e-3 * abs(middle) > 0
