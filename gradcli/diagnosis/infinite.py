"""Gradients that are not finite while the value is: what received finite numbers and gave back others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf, nan

import torch

from gradcli.diagnosis import repairs
from gradcli.diagnosis.evidence import Evidence, Finding
from gradcli.diagnosis.wording import called, elements, first, joined, number, place
from gradcli.engine.proving.causes import Cause, repeated
from gradcli.engine.proving.masking import leaves_out
from gradcli.engine.proving.origins import local_slopes


def masked_branch(evidence: Evidence) -> Iterator[Finding]:
    """G302: a branch that the answer does not use sends back 0 times infinity."""
    replay = evidence.proofs.replay
    for cause in evidence.proofs.causes:
        if cause.kind == "masked" and replay is not None:
            by = leaves_out(replay, cause.origin.call.index)
            masker = called(evidence.source(by.step), by.step) if by is not None else "the answer"
            times = "inf" if bool(_slope(cause).isinf().any()) else "nan"
            repaired = repairs.of_masked(evidence, cause, by)
            facts = {"masker": masker, "times": times, **(repaired or {})}
            yield _finding(evidence, "G302", "masked", cause, facts, ("repair",) if repaired else ())


def infinite_slope(evidence: Evidence) -> Iterator[Finding]:
    """G303: the derivative itself is infinite at this point."""
    for cause in evidence.proofs.causes:
        if cause.kind == "slope":
            yield _finding(evidence, "G303", "slope", cause, {})


def zero_times_infinity(evidence: Evidence) -> Iterator[Finding]:
    """G304: an infinite slope met a slope of zero, though nothing is masked."""
    for cause in evidence.proofs.causes:
        if cause.kind == "product":
            limit, facts = _limit(evidence, cause)
            repaired = repairs.of_product(evidence, cause)
            undefined = not bool(_slope(cause).isinf().any())
            also = (*limit, *(("repair",) if repaired else ()))
            sentence = "undefined" if undefined else "product"
            yield _finding(evidence, "G304", sentence, cause, {**facts, **(repaired or {})}, also)


def degenerate(evidence: Evidence) -> Iterator[Finding]:
    """G305: a decomposition with equal eigen- or singular values."""
    for cause in evidence.proofs.causes:
        if cause.kind == "degenerate":
            twice = repeated(cause.origin.call.value)
            yield _finding(evidence, "G305", "equal", cause, {"twice": number(twice if twice is not None else 0.0)})


def _finding(
    evidence: Evidence, code: str, sentence: str, cause: Cause, more: Mapping[str, object], also: tuple[str, ...] = ()
) -> Finding:
    call, spoils = cause.origin.call, cause.origin.spoils
    of = "{}.grad" if evidence.outcome.went_back else "the derivative by {}"
    slope = _slope(cause)
    what = "infinite slope" if bool(slope.isinf().any()) else "slope that is nan"
    said = {
        "source": evidence.source(call.step), "slope": f"an {what}" if what[0] == "i" else f"a {what}",
        "point": _point(evidence, cause), "elements": joined([elements(of.format(n), m) for n, m in spoils.items()]),
        "is": "is" if sum(int(mask.sum()) for mask in spoils.values()) == 1 else "are", **more,
        "found": _found(evidence, cause),
    }  # fmt: skip
    return Finding(code, sentence, said, call.step.span, next(iter(spoils)) if len(spoils) == 1 else None, also)


def _slope(cause: Cause) -> torch.Tensor:
    """The slopes of the operation at the elements that are not finite."""
    slope = local_slopes(cause.origin.call, cause.origin.place)
    if slope is None:
        return cause.origin.given[cause.origin.bad]
    return slope[cause.origin.bad] if slope.shape == cause.origin.given.shape else slope


def _found(evidence: Evidence, cause: Cause) -> str:
    """What stands in .grad of the elements that suffer: one number, or each of those that there are."""
    grads = evidence.proofs.gradients
    values = [
        grads[name][mask].abs() if grads[name].is_complex() else grads[name][mask]
        for name, mask in cause.origin.spoils.items()
        if name in grads and grads[name].shape == mask.shape
    ]
    told = [number(one) for one in (inf, -inf, nan) if any(_has(some, one) for some in values)] or ["nan"]
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} or {told[-1]}"


def _has(values: torch.Tensor, one: float) -> bool:
    return bool((values.isnan() if one != one else values == one).any())


def _point(evidence: Evidence, cause: Cause) -> str:
    """The operands of the operation at the first element that is not finite: where x = 0."""
    call, (ref, part) = cause.origin.call, cause.origin.place
    at = first(cause.origin.bad)
    told = []
    for one, value in call.operands.items():
        item = value[part] if one == ref and part is not None and isinstance(value, tuple) else value
        if not isinstance(item, torch.Tensor) or not item.is_floating_point():
            continue
        if cause.origin.spread:
            picked = item.detach().expand(call.value.shape)[at]
            told.append(f"{evidence.element(one, at, item, call.value.shape)} = {number(float(picked))}")
        elif one == ref:
            told.append(f"{evidence.element(one, at, item, item.shape)} = {number(float(item.detach()[at]))}")
    return joined(told) if told else "this point"


def _limit(evidence: Evidence, cause: Cause) -> tuple[tuple[str, ...], dict[str, str]]:
    """What the slope of the whole is on both sides of the point: which sentence, and its facts."""
    slopes = cause.slopes
    if slopes is None or not slopes.finite:
        return (), {}
    left, right = number(_near(slopes.left)), number(_near(slopes.right))
    both = number(_near((slopes.left + slopes.right) / 2))
    element = place(cause.name, cause.index, evidence.outcome.inputs[cause.name].value.shape)
    facts = {"element": element, "left": left, "right": right, "both": both}
    if slopes.is_kink:
        return ("kink",), facts
    same = abs(slopes.left - slopes.right) <= 1e-3 * max(slopes.scale, 1e-6) or slopes.scale < 1e-6
    smooth = same and slopes.settled
    return (("smooth",) if smooth else ()), facts


def _near(value: float) -> float:
    """A slope without the last digits of its estimate."""
    rounded = round(value, 6)
    return 0.0 if abs(value) < 1e-6 else rounded if abs(rounded - round(value, 3)) > 1e-5 else round(value, 3)
