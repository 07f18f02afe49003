"""Halving of brackets, all at once, until their ends are adjacent numbers: where a sign turns, a slope or value leaps.

Each rule says which half of a bracket to go on with, from f and f' at its ends and in its middle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch

from gradcli.engine.sweeping.floats import adjacent, between

Function = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
STEPS = 70  # a float64 has 64 bits


class Ends(NamedTuple):
    """One end of brackets: places, values, slopes."""

    x: torch.Tensor
    f: torch.Tensor
    g: torch.Tensor

    def at(self, places: torch.Tensor) -> Ends:
        """Those at some places, or where a mask is true."""
        return Ends(self.x[places], self.f[places], self.g[places])

    def chosen(self, mask: torch.Tensor, other: Ends) -> Ends:
        """The other ends where a mask is true."""
        return Ends(*(torch.where(mask, theirs, ours) for ours, theirs in zip(self, other, strict=True)))


Rule = Callable[[Ends, Ends, Ends], torch.Tensor]
"""Whether to go on with the lower half, from lower end, middle and upper end."""


def halved(function: Function, low: Ends, high: Ends, rule: Rule, stops: Rule | None = None) -> tuple[Ends, Ends]:
    """Brackets halved until their ends are adjacent; where `stops` holds of a middle, both ends become the middle."""
    for _ in range(STEPS):
        if bool(adjacent(low.x, high.x).all()):
            break
        middle_x = between(low.x, high.x)
        middle = Ends(middle_x, *function(middle_x))
        left = rule(low, middle, high)
        stop = stops(low, middle, high) if stops is not None else torch.zeros_like(left)
        low, high = low.chosen(~left | stop, middle), high.chosen(left | stop, middle)
    return low, high


def turns(low: Ends, middle: Ends, _: Ends) -> torch.Tensor:
    """The slope has another sign in the middle than at the lower end."""
    return middle.g.sign() != low.g.sign()


def at_zero(_: Ends, middle: Ends, __: Ends) -> torch.Tensor:
    """The slope is 0 in the middle, or no number."""
    return (middle.g == 0) | middle.g.isnan()


def steeper(low: Ends, middle: Ends, high: Ends) -> torch.Tensor:
    """The slope changes more in the lower half."""
    return (middle.g - low.g).abs() > (high.g - middle.g).abs()


def leaps(low: Ends, middle: Ends, high: Ends) -> torch.Tensor:
    """The value changes more in the lower half than its slopes tell."""
    return leap(low, middle).abs() > leap(middle, high).abs()


def no_number(_: Ends, middle: Ends, __: Ends) -> torch.Tensor:
    """Value or slope in the middle are not finite."""
    return ~(middle.f.isfinite() & middle.g.isfinite())


def ends_finite(low: Ends, middle: Ends, _: Ends) -> torch.Tensor:
    """Only one of lower end and middle has a finite value."""
    return middle.f.isfinite() != low.f.isfinite()


def leap(low: Ends, high: Ends) -> torch.Tensor:
    """The change of the value that the slopes at both ends do not tell; slopes that are no numbers tell nothing."""
    slope = (low.g + high.g).nan_to_num(nan=0.0, posinf=0.0, neginf=0.0) / 2
    return high.f - low.f - (high.x - low.x) * slope
