"""From witnesses to a verdict: passed, not passed, or not to be judged here, each with its reason."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from gradcli.engine.checking.local import Miss
from gradcli.engine.checking.numeric import Slope

TOLERANCE = 1e-6  # of the largest element of a gradient, unless asked otherwise
AGREES = 1e-9  # reverse against exact
HOPELESS = 1e-3  # relative accuracy from which differences say nothing


@dataclass(frozen=True, slots=True)
class Witnesses:
    """What each witness says of one input, element by element, in row-major order."""

    name: str
    shape: tuple[int, ...]
    reverse: list[float] | None
    forward: list[float] | None
    numeric: list[Slope]
    exact: list[float] | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """`passed` true, false, or None where the point cannot be judged; the reason; the element that it is about."""

    passed: bool | None
    reason: str
    code: str | None = None
    input: str | None = None


def element(name: str, shape: tuple[int, ...], index: int) -> str:
    """A[0, 2], or A for a number."""
    if not shape:
        return name
    place = torch.unravel_index(torch.tensor(index), shape)
    return f"{name}[{', '.join(str(int(one)) for one in place)}]"


def of_misses(found: list[Miss], source: str) -> Verdict | None:
    """torch itself is wrong: an operator misses its own result."""
    if not found:
        return None
    miss = max(
        found, key=lambda one: abs(one.got - one.want) / max(abs(one.want), 1e-300) if one.got == one.got else math.inf
    )
    text = " ".join(source[miss.step.span.start : miss.step.span.end].split())
    at = f" at {miss.operand!r}" if miss.operand is not None else ""
    what = "slope" if miss.what == "slope" else "value"
    return Verdict(
        False, f"torch is wrong here: the {what} of {text}{at} is {miss.got:.6g}; the exact one is {miss.want:.6g}"
    )


def of_values(results: list[torch.Tensor]) -> Verdict | None:
    """A value that is not finite has no derivative to check."""
    if all(bool(torch.isfinite(one).all()) for one in results):
        return None
    return Verdict(None, "the value itself is not finite here, so there is no derivative to check")


def of_witnesses(one: Witnesses, tolerance: float, proved: bool) -> Verdict | None:
    """What the witnesses of one input prove; None where they agree.

    `proved`: every operator was held against fifty digits, so that what is left can only be ill-conditioning.
    """
    for index, slope in enumerate(one.numeric):
        if slope.left is not None and slope.right is not None:
            taken = one.reverse[index] if one.reverse else 0.0
            return Verdict(
                None,
                f"{element(one.name, one.shape, index)} is at a kink: the slope is {slope.left:.6g} on the left and "
                f"{slope.right:.6g} on the right; torch takes {taken:.6g}",
                "G501",
                one.name,
            )
    reverse = one.reverse or [0.0] * len(one.numeric)
    reference = one.exact or [slope.value for slope in one.numeric]
    scale = max([abs(value) for value in (*reference, *reverse) if math.isfinite(value)], default=0.0)
    for index, have in enumerate(reverse):
        where = element(one.name, one.shape, index)
        if not math.isfinite(have):
            return Verdict(
                None if not one.exact else False, f"the gradient of {where} is {have}: not finite here", None, one.name
            )
        verdict = _of_element(one, index, have, scale, tolerance, proved, where)
        if verdict is not None:
            return verdict
    return None


def _of_element(
    one: Witnesses, index: int, have: float, scale: float, tolerance: float, proved: bool, where: str
) -> Verdict | None:
    if one.forward is not None and abs(one.forward[index] - have) > max(tolerance * scale, one.numeric[index].accuracy):
        return Verdict(
            False,
            f"forward and reverse mode disagree at {where}: {one.forward[index]:.6g} and {have:.6g}",
            None,
            one.name,
        )
    if one.exact is not None:
        want = one.exact[index]
        if abs(have - want) <= max(AGREES * scale, 1e-300):
            return None
        if proved:
            lost = min(16, max(1, round(16 + math.log10(max(abs(have - want) / max(abs(want), 1e-300), 1e-16)))))
            return Verdict(
                True,
                f"ill-conditioned: every operator is right, and about {lost} of 16 digits of {where} are "
                f"lost to cancellation between them ({have:.6g}; exact {want:.6g})",
                None,
                one.name,
            )
    slope = one.numeric[index]
    error = abs(have - slope.value)
    if error <= tolerance * scale:
        return None
    sharp = slope.accuracy <= HOPELESS * max(abs(slope.value), abs(have))
    if error <= 20 * slope.accuracy and (sharp or slope.accuracy <= tolerance * slope.natural):
        return None
    if not math.isfinite(slope.value) or not sharp:
        reason = f"{where} is too close to a kink, a singularity or the edge of the domain to judge by differences"
        return Verdict(None, reason, None, one.name)
    came = "nothing came back" if one.reverse is None else f"reverse mode gives {have:.6g}"
    reason = f"{where}: {came}, and differences give {slope.value:.6g} ± {slope.accuracy:.1g}"
    return Verdict(False, reason, None, one.name)


def plain(values: Any) -> list[float]:
    """Numbers of fifty digits as floats."""
    return [float(one) for one in values]
