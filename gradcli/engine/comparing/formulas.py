"""Formulas that should be the same, at one point: where they part, and which of them is right.

A formula is right where its values and gradients lie within a tolerance of the truth: many-digit arithmetic, which all
formulas that it can follow must agree on, or else float64 where it gives the same for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from gradcli.engine.comparing.attempt import Attempt, attempt, not_all_refused
from gradcli.engine.comparing.departure import Departure, first_bad_gradient, first_departure
from gradcli.engine.comparing.element import at_element
from gradcli.engine.comparing.misses import Miss, Tolerance, filled, miss_of, numbers_of, tolerance_for
from gradcli.engine.comparing.point import Point, in_float64, point_of
from gradcli.engine.comparing.truth import Truth, consensus, exact_truth, wide_truth
from gradcli.engine.recording import Request


@dataclass(frozen=True, slots=True, eq=False)
class Formula:
    """One formula: what it gave, whether it is right (None: not known), and where it goes wrong."""

    attempt: Attempt
    right: bool | None = None
    miss: Miss | None = None
    departure: Departure | None = None
    arriving: tuple[str, float] | None = None


Kind = Literal["agree", "wrong", "shapes", "part", "functions", "kink", "unknown", "refused"]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The formulas with what is known of them. `kind`: what is to be said of them all; `apart`: where they part."""

    kind: Kind
    formulas: tuple[Formula, ...]
    truth: Truth | None = None
    truths: tuple[Truth | None, ...] = ()
    apart: Miss | None = None


def compare_formulas(requests: Sequence[Request], tolerance: float | None) -> Found:
    """Evaluate formulas at the same point and judge them. Raises GradcliError where torch refuses all of them."""
    attempts = tuple(attempt(one) for one in requests)
    not_all_refused(attempts)
    there = [numbers_of(one.outcome) for one in attempts if one.outcome is not None]
    plain = tuple(map(Formula, attempts))
    if len({tuple(one.shape for one in numbers.outputs) for numbers in there}) > 1:
        return Found("shapes", plain)
    within = max(tolerance_for(one.outputs, tolerance) for one in there)
    apart = next((miss for one in there[1:] if (miss := miss_of(one, there[0], within)) is not None), None)
    found = _judged_together(Found("unknown", plain, apart=apart), within)
    if found.kind == "unknown" and apart is not None and apart.name is None:
        return _at_worst(found, requests, apart, tolerance)
    return found


def _judged_together(found: Found, within: Tolerance) -> Found:
    attempts, apart = [one.attempt for one in found.formulas], found.apart
    if any(one.request.program.random for one in attempts):
        return replace(found, kind=_kind(found.formulas, None, False, apart))
    point = point_of(attempts[0].request, attempts[0].request.dtype)
    truths = tuple(exact_truth(one, point) for one in attempts)
    known = [one for one in truths if one is not None] or _wide(attempts, point)
    truth, differ = consensus(known, within) if known else (None, None)
    exactly = bool(known) and known[0].by == "exact"
    formulas = found.formulas
    if truth is not None and apart is not None and not truth.knows(apart):
        return replace(found, kind="kink" if apart.name in truth.numbers.grads else "unknown", truths=truths)
    if truth is not None:
        formulas = tuple(_judged(one, truth, point, within) for one in formulas)
        apart = None if all(one.right for one in formulas) else apart  # no more than rounding: the truth is between
    kind = _kind(formulas, truth, exactly and differ is not None, apart)
    return Found(kind, formulas, truth, truths, differ if kind == "functions" else apart)


def _kind(formulas: Sequence[Formula], truth: Truth | None, differ: bool, apart: Miss | None) -> Kind:
    if any(one.attempt.refusal is not None for one in formulas):
        return "refused"
    if differ:
        return "functions"
    if apart is None:
        return "wrong" if all(one.right is False for one in formulas) else "agree"
    return "unknown" if truth is None else "part"


def _wide(attempts: Sequence[Attempt], point: Point) -> list[Truth]:
    """What float64 gives for each formula; nothing where it does not answer for all, or for one alone."""
    wide = [wide_truth(one, point) for one in attempts if one.outcome is not None]
    known = [one for one in wide if one is not None]
    return known if len(known) == len(wide) > 1 else []


def _judged(formula: Formula, truth: Truth, point: Point, within: Tolerance) -> Formula:
    outcome, request = formula.attempt.outcome, formula.attempt.request
    if outcome is None or formula.attempt.refusal is not None:
        return formula
    got = numbers_of(outcome)
    miss = miss_of(got, filled(truth.numbers, got) if truth.by == "exact" else truth.numbers, within)
    if miss is None:
        return Formula(formula.attempt, True)
    if miss.name is None:
        departure = first_departure(request, in_float64(request, point), within.coarse)
        return Formula(formula.attempt, False, miss, departure)
    return Formula(formula.attempt, False, miss, arriving=first_bad_gradient(request))


def _at_worst(found: Found, requests: Sequence[Request], apart: Miss, tolerance: float | None) -> Found:
    """The judgement of the element at which large tensors are furthest apart, where it stands for itself."""
    alone = [at_element(one.attempt, apart) for one in found.formulas]
    there = [one for one in alone if one is not None]
    if len(there) < len(requests):
        return found
    sub = compare_formulas(there, tolerance)

    def placed(miss: Miss | None) -> Miss | None:
        return None if miss is None else replace(miss, shape=apart.shape, index=apart.index, count=apart.count)

    formulas = tuple(
        replace(one, right=None if one.attempt.outcome is None else judged.right, miss=placed(judged.miss),
                departure=judged.departure, arriving=judged.arriving)
        for one, judged in zip(found.formulas, sub.formulas, strict=True)
    )  # fmt: skip
    return replace(found, kind=sub.kind, formulas=formulas) if sub.kind == "part" else found
