"""Central finite differences with a step chosen by error analysis, and the accuracy that they reach.

D(h) = (f(x + h) - f(x - h)) / 2h errs by truncation, which falls with h², and by rounding, which grows with 1/h.
Richardson's combination (16 D(h/4) - D(h)) / 15 removes the first order of truncation. Over a range of steps, the one
is taken whose neighbours agree best, rounding counted; what they disagree by is the accuracy reached.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch

from gradcli.engine.checking.subject import Subject

EPS = 2.0**-52
RATIO = 4.0
STEPS = 20

Difference = Callable[[float], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Slope:
    """A numeric derivative, its accuracy, and the slopes on the left and the right where they differ (a kink).

    `natural` is |f| / |x|, a slope of ordinary size here.
    """

    value: float
    accuracy: float
    natural: float
    left: float | None = None
    right: float | None = None


def slopes(subject: Subject, name: str) -> list[Slope]:
    """The numeric derivative of the sum of the outputs by each element of an input."""
    base = subject.outputs(subject.point)
    return [slope(subject, base, name, index) for index in range(subject.point[name].numel())]


def slope(subject: Subject, base: list[torch.Tensor], name: str, index: int) -> Slope:
    """The numeric derivative by one element, both sides looked at for a kink."""
    x = float(subject.point[name].reshape(-1)[index])
    scale = abs(x) if x else 1.0

    def sided(sign: float) -> Difference:
        def difference(h: float) -> tuple[float, float]:
            moved = (x + sign * h) - x
            return _difference(base, subject.outputs(subject.moved(name, index, moved)), moved)

        return difference

    def central(h: float) -> tuple[float, float]:
        up, down = (x + h) - x, x - (x - h)
        above = subject.outputs(subject.moved(name, index, up))
        below = subject.outputs(subject.moved(name, index, -down))
        return _difference(below, above, up + down)

    start = 0.25 * scale
    natural = sum(float(one.abs().sum()) for one in base) / scale
    right, left = _kink(sided(1.0), sided(-1.0), scale)
    if right is not None:
        return Slope(math.nan, math.inf, natural, left, right)
    return Slope(*_best(central, start), natural)


def _difference(before: list[torch.Tensor], after: list[torch.Tensor], step: float) -> tuple[float, float]:
    """The difference quotient of the sum of the outputs, and what rounding can do to it."""
    total, noise = 0.0, 0.0
    for one, other in zip(before, after, strict=True):
        total += float((other - one).sum())
        noise += float(torch.maximum(one.abs(), other.abs()).sum())
    if not math.isfinite(total) or step == 0:
        return math.nan, math.inf
    return total / step, 4 * EPS * noise / abs(step)


def _best(difference: Difference, start: float) -> tuple[float, float]:
    """The best of Richardson's combinations over steps that shrink by RATIO, and its accuracy."""
    table = [difference(start / RATIO**k) for k in range(STEPS)]
    best = (math.nan, math.inf)
    for k in range(STEPS - 2):
        (coarse, _), (middle, noise), (fine, rounding) = table[k : k + 3]
        if not all(map(math.isfinite, (coarse, middle, fine))):
            continue
        gain = RATIO * RATIO
        first, second = (gain * middle - coarse) / (gain - 1), (gain * fine - middle) / (gain - 1)
        accuracy = abs(first - second) + 2 * (noise + rounding)
        if accuracy < best[1]:
            best = (second, accuracy)
    return best


def _kink(right: Difference, left: Difference, scale: float) -> tuple[float | None, float | None]:
    """The slopes on both sides where they differ by the same at two steps: what curvature does would shrink."""
    jumps = []
    for h in (1e-4 * scale, 1e-4 * scale / 8):
        (above, noise), (below, rounding) = right(h), left(h)
        if not (math.isfinite(above) and math.isfinite(below)):
            return None, None
        jump = abs(above - below)
        size = max(abs(above), abs(below))
        if jump <= 10 * (noise + rounding) + 1e-5 * size:
            return None, None
        jumps.append((jump, above, below))
    ratio = jumps[0][0] / jumps[1][0]
    return (jumps[1][1], jumps[1][2]) if 0.5 < ratio < 2 else (None, None)
