"""The slope of a function that is known by its values: differences with so many digits that they err by nothing.

A step of 1e-20 errs by 1e-40, and 60 digits leave 40 beyond it. Where the slope is smaller than that resolves, or both
sides differ, more digits and a smaller step decide: what curvature does shrinks with the step, and a kink stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath as mp

from gradcli.engine.checking.exact.number import LEVELS, Unknown

_LARGEST = 10**6  # a step does not grow with larger operands: the period of a sine does not either
_MOST = 2000  # digits that an operand may need beyond those of a level
_SMOOTH, _KINK = mp.mpf("1e-13"), mp.mpf("1e-9")
_PLAIN = (mp.mpf("1e-9"), mp.mpf("1e15"))  # a size between these needs no second step to be believed

Function = Callable[[Any], Sequence[Any]]
# The slopes on the right and on the left (None: outside of the domain), and what rounding can do to them.
Sides = list[tuple[Any, Any, Any]]


def slope(function: Callable[[Any], Any], x: Any) -> Any:
    """The derivative of a function of one number; None at a kink or at the edge of the domain."""
    return slopes(lambda t: [function(t)], x)[0]


def slopes(function: Function, x: Any) -> list[Any]:
    """The derivatives of several numbers that depend on one; None for those that have none there."""
    before: Sides | None = None
    more = _further(x)
    for digits, depth in [level for level in LEVELS if level[0] >= min(mp.mp.dps, LEVELS[-1][0])]:
        with mp.workdps(digits + more):
            step = min(abs(x) or mp.mpf(1), mp.mpf(_LARGEST)) * mp.mpf(10) ** -depth
            sides = _sides(function, x, step, mp.mpf(10) ** (3 - digits - more))
            found = [_settled(*one, *(old or ())) for one, old in zip(sides, before or [()] * len(sides), strict=True)]
        if all(settled for _, settled in found) and any(one != 0 for one, _ in found):
            break
        before = sides
    return [one if settled or _smooth(*side) else None for (one, settled), side in zip(found, sides, strict=True)]


def _further(x: Any) -> int:
    """Digits without which a step would vanish beside a large operand, such as 1 + exp(1000)."""
    if not mp.isfinite(x) or abs(x) <= _LARGEST:
        return 0
    more = int(mp.log10(abs(x) / _LARGEST)) + 1
    if more > _MOST:
        raise Unknown
    return more


def _sides(function: Function, x: Any, step: Any, rounding: Any) -> Sides:
    base = function(x)
    above, below = _tried(function, x + step, len(base)), _tried(function, x - step, len(base))
    return [
        (None if a is None else (a - b) / step, None if c is None else (b - c) / step, rounding * abs(b) / step)
        for a, b, c in zip(above, base, below, strict=True)
    ]


def _tried(function: Function, x: Any, count: int) -> Sequence[Any]:
    """The values at a point; None outside of the domain."""
    try:
        return [one if mp.isfinite(one) else None for one in function(x)]
    except (ValueError, ZeroDivisionError, OverflowError):
        return [None] * count


def _settled(right: Any, left: Any, noise: Any, *before: Any) -> tuple[Any, bool]:
    """A slope, and whether it can be trusted, now that these are the slopes of both sides and those were before."""
    if right is None or left is None:
        return None, True
    size, middle = max(abs(right), abs(left)), (right + left) / 2
    if size == 0:
        return middle, True
    if size < 1e12 * noise:
        return middle, False
    if not before or before[0] is None or before[1] is None:
        return middle, abs(right - left) <= _SMOOTH * size and _PLAIN[0] < size < _PLAIN[1]
    old = max(abs(before[0]), abs(before[1]))
    if size < 1e-6 * old:  # what is left shrinks with the step
        return mp.mpf(0), True
    if size > 1e6 * old > 0:  # the function jumps, or its slope is infinite
        return None, True
    jump = abs(right - left)
    if jump > _KINK * size and 0.5 < jump / (abs(before[0] - before[1]) or 1) < 2:
        return None, True
    return middle, jump <= _SMOOTH * size and abs(middle - (before[0] + before[1]) / 2) <= _KINK * size


def _smooth(right: Any, left: Any, noise: Any) -> bool:
    """Whether the finest step, which must do, gives the same on both sides."""
    return right is not None and left is not None and abs(right - left) <= _KINK * max(abs(right), abs(left), noise)
