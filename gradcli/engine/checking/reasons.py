"""Why a program's check does not simply pass, told by what its steps did: torch's misses, values that are not finite."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gradcli.engine.checking.exact.through import Exact
from gradcli.engine.checking.judging import AGREES, LEAST
from gradcli.engine.checking.misses import Miss
from gradcli.engine.checking.observed import Observed
from gradcli.engine.checking.subject import Tensors, numbers
from gradcli.engine.checking.symmetric import asymmetric
from gradcli.engine.checking.trial import Trial
from gradcli.engine.checking.verdict import Verdict, apart, lost_digits
from gradcli.engine.defaults import tensors
from gradcli.language.program import Call


def at_once(observed: Observed, tried: Trial, source: str) -> Verdict | None:
    """A verdict that needs no witness: torch itself is wrong, or there is nothing to check."""
    return of_misses(tried.misses, source) or of_values(observed, source) or of_triangles(observed, source)


def of_misses(found: Iterable[Miss], source: str) -> Verdict | None:
    """torch itself is wrong: an operator misses its own result."""
    worst = max(found, key=lambda one: abs(one.got - one.want) / max(abs(one.want), 1e-300), default=None)
    if worst is None:
        return None
    at = f" at {worst.operand!r}" if worst.operand is not None else ""
    what = "gradient" if worst.what == "slope" else "value"
    got, want = apart(worst.got, worst.want)
    reason = f"torch is wrong here: the {what} of {text_of(worst.step, source)}{at} is {got}; exactly it is {want}"
    return Verdict(False, reason)


def of_values(observed: Observed, source: str) -> Verdict | None:
    """A value that is not finite has no derivative to check; the first step that gave such a number is named."""
    if all(bool(one.isfinite().all()) for one in observed.results):
        return None
    reason = "the value itself is not finite here, so there is no derivative to check"
    for call in observed.calls:
        made = [one for one in tensors(call.value) if one.is_floating_point() and not bool(one.isfinite().all())]
        if made:
            number = float(made[0][~made[0].isfinite()].reshape(-1)[0])
            return Verdict(None, f"{reason}: {text_of(call.step, source)} gives {number}")
    return Verdict(None, reason)


def of_triangles(observed: Observed, source: str) -> Verdict | None:
    """A matrix that is not symmetric, where torch reads one triangle and differentiates as if it were."""
    step = asymmetric(observed)
    if step is None:
        return None
    text = text_of(step, source)
    return Verdict(
        None, f"{text} reads one triangle of its matrix, which is not symmetric here: it has no one derivative"
    )


def in_words(verdict: Verdict, observed: Observed, tried: Trial, known: Exact | None, source: str) -> Verdict:
    """A verdict with what the steps have to say to it."""
    if verdict.passed is False and not tried.misses:
        drawn = _drawn(observed)
        if drawn is not None:
            told = f"{text_of(drawn, source)} draws random numbers, and torch does not differentiate by what it draws them with"
            return replace(verdict, passed=None, reason=told)
        if tried.cuts:
            told = f"{verdict.reason}; {text_of(tried.cuts[0], source)} cuts a path, so that reverse mode leaves it out"
            return replace(verdict, reason=told)
    if verdict.passed and "ill-conditioned" not in verdict.reason and (lost := _lost(known, observed.results, tried)):
        return replace(verdict, reason=f"{verdict.reason}; {lost}")
    return verdict


def _drawn(observed: Observed) -> Call | None:
    """A step that draws by a tensor that requires grad, and has no derivative by it."""
    for call in observed.calls:
        draws = call.step.function.random and call.step.function.smooth == "nowhere"
        if draws and any(one.requires_grad for one in tensors([call.args, call.kwargs])):
            return call.step
    return None


def _lost(known: Exact | None, results: Tensors, tried: Trial) -> str | None:
    """What is to be said of digits of the value that cancellation between operators takes."""
    if known is None or not tried.acquitted:
        return None
    pairs = [
        (have, float(want))
        for one, got in zip(known.outputs, results, strict=True)
        for have, want in zip(numbers(got), one, strict=True)
    ]
    largest = max((abs(want) for _, want in pairs), default=0.0)
    have, want = max(pairs, key=lambda pair: abs(pair[0] - pair[1]), default=(0.0, 0.0))
    if abs(have - want) <= max(AGREES * largest, LEAST):
        return None
    shown = "{}; exact {}".format(*apart(have, want))
    return (
        f"ill-conditioned: about {lost_digits(have, want)} of 16 digits of the value are lost to cancellation ({shown})"
    )


def text_of(step: Call, source: str) -> str:
    """The part of the text that a step is."""
    return " ".join(source[step.span.start : step.span.end].split())
