"""A verdict: passed, not passed, or not to be judged here, each with its reason; and the gravest of several."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """`passed` true, false, or None where the point cannot be judged; the reason; its code; the input it is about.

    `element` says which element of the input, in row-major order.
    """

    passed: bool | None
    reason: str
    code: str | None = None
    input: str | None = None
    element: int | None = None


def gravest(found: Iterable[Verdict]) -> Verdict | None:
    """A failure before a doubt, a doubt before a remark."""
    all_found = list(found)
    for passed in (False, None, True):
        first = next((one for one in all_found if one.passed is passed), None)
        if first is not None:
            return first
    return None


def lost_digits(have: float, want: float) -> int:
    """How many of the sixteen digits of float64 are wrong."""
    error = abs(have - want) / max(abs(want), 1e-300)
    return min(16, max(1, round(16 + math.log10(max(error, 1e-16)))))


def apart(have: float, want: float) -> tuple[str, str]:
    """Two numbers with as many digits as tell them apart, and one more."""
    for digits in range(6, 18):
        shown = f"{have:.{digits}g}", f"{want:.{digits}g}"
        if f"{have:.{digits - 1}g}" != f"{want:.{digits - 1}g}":
            break
    return shown
