"""From the witnesses of each element to a verdict: one rule after another, the first that has something to say."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gradcli.engine.checking.differences import Slope
from gradcli.engine.checking.trial import Trial
from gradcli.engine.checking.verdict import Verdict, apart, gravest, lost_digits
from gradcli.engine.checking.witnesses import Witnesses

AGREES = 1e-9  # of the largest element: reverse mode against the exact derivative
SLACK = 20  # times the accuracy of a difference: what it cannot tell apart
HOPELESS = 1e-3  # relative accuracy from which differences say nothing
FORWARD = 1e-6  # relative: a difference of torch's own two modes that is worth a word
LEAST = 1e-306  # what float64 holds with all its digits
SMALL = 1e-3  # of the largest element: smaller ones are held against that

Again = Callable[[str, int], Slope]
"""A second look at an element of an input, by its name and its place in row-major order."""


@dataclass(frozen=True, slots=True)
class Case:
    """What a verdict on one input is found from: its witnesses, the operators' trial, a second look at an element."""

    one: Witnesses
    tolerance: float
    trial: Trial | None
    again: Again

    @property
    def largest(self) -> float:
        """The size of the largest element, by whoever has a finite one."""
        sizes = [*self.one.taken, *(self.one.exact or [slope.value for slope in self.one.numeric])]
        return max((abs(size) for size in sizes if size is not None and math.isfinite(size)), default=0.0)

    def exact(self, index: int) -> float | None:
        """The exact derivative by one element, where it is known."""
        return self.one.exact[index] if self.one.exact is not None else None


def of_all(cases: Sequence[Case]) -> Verdict:
    """The gravest verdict on any element of any input, or that all witnesses agree."""
    found = (_of_element(case, index) for case in cases for index in range(len(case.one.numeric)))
    return gravest(one for one in found if one is not None) or _agreed([case.one for case in cases])


def _agreed(witnesses: list[Witnesses]) -> Verdict:
    number = sum(len(one.numeric) for one in witnesses)
    kinds = [
        "reverse mode",
        *(["forward mode"] if all(one.forward for one in witnesses) else []),
        "differences",
        *(["the exact derivative"] if all(one.exact and None not in one.exact for one in witnesses) else []),
    ]
    elements = "the derivative" if number == 1 else f"all {number} derivatives"
    return Verdict(True, f"{', '.join(kinds[:-1])} and {kinds[-1]} agree on {elements}")


def _of_element(case: Case, index: int) -> Verdict | None:
    for rule in RULES:
        found = rule(case, index)
        if found is not None:
            return replace(found, input=case.one.name, element=index)
    return None


def _not_smooth(case: Case, index: int) -> Verdict | None:
    """A kink or a jump is not a failure, whatever torch takes there."""
    slope, where, taken = case.one.numeric[index], case.one.element(index), case.one.taken[index]
    if slope.left is not None and slope.right is not None:
        sides = f"the slope is {slope.left:.6g} on the left and {slope.right:.6g} on the right"
        if case.exact(index) is not None:
            return Verdict(None, f"{where} is too close to a kink to judge: {sides} of it")
        return Verdict(None, f"{where} is at a kink: {sides}; torch takes {taken:.6g}", "G501")
    if slope.jump is not None:
        return Verdict(
            None, f"{where} is at a jump: the value moves by {slope.jump:.6g} there; torch takes {taken:.6g}"
        )
    return None


def _not_finite(case: Case, index: int) -> Verdict | None:
    """A derivative that is NaN or infinite is wrong where another witness has a finite one."""
    have, slope, where = case.one.taken[index], case.one.numeric[index], case.one.element(index)
    if math.isfinite(have):
        return None
    want = case.exact(index)
    if want is not None:
        if not math.isfinite(want):
            return Verdict(None, f"{where}: reverse mode gives {have}; the derivative is beyond what float64 can hold")
        return Verdict(False, f"{where}: reverse mode gives {have}; the exact derivative is {want:.6g}")
    if slope.accuracy <= HOPELESS * abs(slope.value) or slope.accuracy <= case.tolerance * slope.natural < math.inf:
        return Verdict(False, f"{where}: reverse mode gives {have}; differences give {_shown(slope)}")
    return Verdict(None, f"{where}: reverse mode gives {have}, and no other witness has a derivative there")


def _of_exact(case: Case, index: int) -> Verdict | None:
    """The exact derivative decides where it is known; an operator that is right is not at fault for lost digits."""
    have, want, where = case.one.taken[index], case.exact(index), case.one.element(index)
    if want is None:
        return None
    shown = "{}; exact {}".format(*apart(have, want))
    if abs(have - want) <= max(max(AGREES, case.tolerance) * case.largest, LEAST):
        return None
    if case.trial is not None and case.trial.acquitted:
        return Verdict(
            True,
            f"ill-conditioned: every operator is right, and about {lost_digits(have, want)} of 16 digits of the "
            f"derivative by {where} are lost to cancellation between them ({shown})",
        )
    if case.one.exact and (found := _of_numeric(replace(case, one=replace(case.one, exact=None)), index)):
        return found
    return Verdict(
        True,
        f"ill-conditioned: about {lost_digits(have, want)} of 16 digits of the derivative by {where} are lost ({shown})",
    )


def _of_numeric(case: Case, index: int) -> Verdict | None:
    """Differences decide where nothing is known exactly; a second look comes before a failure."""
    if case.exact(index) is not None:
        return None
    one, slope = case.one, case.one.numeric[index]
    have, where = one.taken[index], one.element(index)
    blind = not slope.accuracy <= HOPELESS * max(abs(slope.value), abs(have), case.largest)
    if abs(have - slope.value) <= _allowed(case, index, slope.value):
        small = slope.accuracy <= max(case.tolerance, 1e-6) * slope.natural
        return None if not blind or small else _too_close(where, slope)
    if one.exact is not None:
        return Verdict(
            None,
            f"{where}: a step of it is at a kink or a jump; differences give {_shown(slope)}; torch takes {have:.6g}",
        )
    if blind:
        return _too_close(where, slope)
    second = case.again(one.name, index)
    if abs(have - second.value) <= _allowed(case, index, second.value) + SLACK * second.accuracy:
        return None
    if not second.accuracy <= HOPELESS * max(abs(second.value), abs(have), case.largest):
        return _too_close(where, second)
    came = "nothing came back" if one.reverse is None else f"reverse mode gives {have:.6g}"
    return Verdict(False, f"{where}: {came}; differences give {_shown(slope)}")


def _of_forward(case: Case, index: int) -> Verdict | None:
    """Where all others agree, forward mode alone may be wrong: the user's own formula, or torch's."""
    if case.one.forward is None:
        return None
    have, pushed = case.one.taken[index], case.one.forward[index]
    if abs(pushed - have) <= _allowed(case, index, pushed):
        return None
    reason = f"forward mode is wrong: it gives {pushed:.6g} for {case.one.element(index)}; reverse mode gives {have:.6g}, and "
    if case.trial is None:
        return Verdict(False, f"{reason}differences agree with that")
    if abs(pushed - have) <= FORWARD * max(abs(pushed), abs(have)):
        return None
    return Verdict(True, f"{reason}the other witnesses agree with that")


# In this order: what is no failure at all, what settles it, what is left to be said where all else agrees.
RULES = (_not_smooth, _not_finite, _of_exact, _of_numeric, _of_forward)


def _allowed(case: Case, index: int, other: float) -> float:
    have, slope = case.one.taken[index], case.one.numeric[index]
    size = max(abs(have), abs(other), SMALL * case.largest)
    return LEAST + case.tolerance * size + (SLACK * slope.accuracy if math.isfinite(slope.accuracy) else 0.0)


def _too_close(where: str, slope: Slope) -> Verdict:
    if math.isfinite(slope.value):
        return Verdict(
            None, f"{where} is too close to a kink or a singularity: differences tell no more than {_shown(slope)}"
        )
    return Verdict(
        None, f"{where} is too close to a kink, a singularity or the edge of the domain to judge by differences"
    )


def _shown(slope: Slope) -> str:
    return f"{slope.value:.6g} ± {slope.accuracy:.1g}"
