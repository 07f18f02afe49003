"""How high a curve is drawn: as it is, cut off where few points tower over all others, or on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

MOST = 0.9  # the part of the points that a picture is cut to beside a pole
TOWERS = 8.0  # times the size of these, from which on the others spoil the picture
TYPICAL = 1e3  # times the size of half of them: what grows on and on is no pole
SHOWN = 2.0  # times their size, where it is then cut off
EXPLODES = 1e4  # times the typical size, and as a number, from which on sizes are shown by their logarithms
MARGIN = 0.06
HUGE = 1.7e308  # numbers beyond it cannot be added to


@dataclass(frozen=True, slots=True)
class Scale:
    """A direction of a picture: from `low` to `high`; `clipped` where something goes beyond.

    `threshold`: below it a symlog scale is linear.
    """

    kind: Literal["linear", "log", "symlog"]
    low: float
    high: float
    clipped: bool = False
    threshold: float = 1.0

    def place(self, number: float) -> float:
        """Where a number stands, 0 at the low end and 1 at the high one."""
        low, high, here = (self._bent(one) for one in (self.low, self.high, number))
        return (here - low) / (high - low) if high > low else 0.5

    def number(self, place: float) -> float:
        """The number that stands at a place."""
        low, high = self._bent(self.low), self._bent(self.high)
        return self._unbent(low + (high - low) * place)

    def _bent(self, number: float) -> float:
        if self.kind == "log":
            return math.log10(max(number, 1e-320))
        if self.kind == "symlog":
            size = abs(number) / self.threshold
            far = math.log10(abs(number)) - math.log10(self.threshold) if size > 1e15 else math.log10(1 + size)
            return math.copysign(far, number)
        return number / 2**8 if max(abs(self.low), abs(self.high)) > 1e300 else number

    def _unbent(self, number: float) -> float:
        if self.kind == "log":
            return math.pow(10.0, number)
        if self.kind == "symlog":
            return math.copysign(self.threshold * (math.pow(10.0, abs(number)) - 1), number)
        return number * 2**8 if max(abs(self.low), abs(self.high)) > 1e300 else number


def scale_of(heights: Sequence[float], broken: bool) -> Scale:
    """The scale that shows most of some numbers well; a curve that is `broken` may have poles, which are cut off."""
    if not heights:
        return Scale("linear", -1.0, 1.0)
    low, high = min(heights), max(heights)
    sizes = sorted(abs(one) for one in heights if one)
    typical = sizes[len(sizes) // 2] if sizes else 1.0
    most = sizes[-1] if sizes else 0.0
    large = sizes[int(len(sizes) * MOST)] if sizes else 1.0
    if broken and most > TOWERS * large and large < TYPICAL * typical:
        cut = SHOWN * large
        return _wide(max(low, -cut), min(high, cut), clipped=True)
    if most > EXPLODES and most / typical > EXPLODES:
        return Scale("log", low, high) if low > 0 else Scale("symlog", low, high, threshold=max(typical, 1e-300))
    return _wide(low, high)


def along(left: float, right: float, logarithmic: bool) -> Scale:
    """The scale of the swept input."""
    if left == right:
        return Scale("linear", *_around(left))
    return Scale("log" if logarithmic else "linear", left, right)


def logarithmic(x: Sequence[float]) -> bool:
    """Whether ascending points are equally far apart in their logarithms, over more than a decade."""
    if len(x) < 3 or x[0] <= 0 or not math.isfinite(x[-1]) or x[-1] / x[0] < 10:
        return False
    steps = [math.log(after / before) for before, after in pairwise(x) if before > 0]
    return max(steps) < 1.5 * min(steps) + 1e-3


def _wide(low: float, high: float, clipped: bool = False) -> Scale:
    if not high > low:
        return Scale("linear", *_around(low), clipped=clipped)
    margin = MARGIN * high - MARGIN * low
    wider = low - margin, high + margin
    return Scale("linear", *(wider if all(map(math.isfinite, wider)) else (low, high)), clipped=clipped)


def _around(number: float) -> tuple[float, float]:
    half = abs(number) / 2 or 1.0
    return (number - half, number + half) if math.isfinite(number + half) else (number / 2, number)


def ticks(scale: Scale, most: int) -> list[tuple[float, str]]:
    """Round numbers along a scale, with what is written beside them."""
    if scale.kind == "linear":
        return _round_numbers(scale.low, scale.high, most)
    numbers = list(_decades(scale))
    step = max(1, -(-len(numbers) // most))
    return [(one, power(f"{one:.0e}") if one else "0") for one in numbers[::step]]


def _decades(scale: Scale) -> Iterable[float]:
    least = scale.low if scale.kind == "log" else scale.threshold
    if scale.kind == "symlog":
        if scale.low < 0:
            yield from (-one for one in reversed(list(_powers(least, -scale.low))))
        yield 0.0
    yield from _powers(least, scale.high)


def _powers(low: float, high: float) -> Iterable[float]:
    if high <= 0:
        return
    for power in range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1):
        if math.isfinite(float(f"1e{power}")) and float(f"1e{power}"):
            yield float(f"1e{power}")


def _round_numbers(low: float, high: float, most: int) -> list[tuple[float, str]]:
    span = high / most - low / most
    if not span or not math.isfinite(span):
        return [(low, f"{low:.4g}"), (high, f"{high:.4g}")]
    size = 10.0 ** math.floor(math.log10(span)) if span > 1e-300 else span
    step = next((size * one for one in (1, 2, 2.5, 5, 10) if size * one >= span * 0.999), size * 10)
    first = math.ceil(low / step - 1e-9)
    found = [one * step for one in range(first, first + most + 2) if one * step <= min(high + step * 1e-9, HUGE)]
    return list(zip(found, _written(found, step), strict=True))


def _written(numbers: Sequence[float], step: float) -> list[str]:
    """Numbers alike, in as many digits as tell their steps apart."""
    numbers = [0.0 if abs(one) < step * 1e-9 else one for one in numbers]
    most = max(map(abs, numbers), default=0.0)
    form = "f" if 1e-3 <= most < 1e6 else "e"
    each = ([f"{one:.{digits}{form}}" for one in numbers] for digits in range(17))
    texts = next((found for found in each if _apart(found, numbers, step)), [repr(one) for one in numbers])
    return texts if form == "f" else [power(one) if float(one) else "0" for one in texts]


def _apart(texts: Sequence[str], numbers: Sequence[float], step: float) -> bool:
    """Whether texts tell numbers to a hundredth of their distance."""
    return all(abs(float(text) - one) <= step / 100 for text, one in zip(texts, numbers, strict=True))


def power(text: str) -> str:
    """A power of ten in few characters: 1e5 for 1e+05."""
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else text
