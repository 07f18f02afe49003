"""The check of a text: every witness at one point, in float64, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import torch

from gradcli.engine.checking import differences, modes
from gradcli.engine.checking.exact.through import Exact, exact
from gradcli.engine.checking.observed import Observed, observe
from gradcli.engine.checking.opened import opened
from gradcli.engine.checking.probe import Probe
from gradcli.engine.checking.subject import Leaves, Subject
from gradcli.engine.checking.trial import Miss, Trial, trial
from gradcli.engine.checking.verdict import AGREES, Case, Verdict, gravest, lost_digits, of_case
from gradcli.engine.checking.witnesses import Witnesses, hear
from gradcli.engine.defaults import tensors
from gradcli.engine.gradient import Outcome
from gradcli.engine.recording import Request, draws, quiet, record, seeded
from gradcli.errors import GradcliError
from gradcli.language.program import Call, Enter

MOST = 2000  # elements that are differentiated one by one


@dataclass(frozen=True, slots=True)
class Checked:
    """A verdict, what each witness said of each input, and where it was asked."""

    verdict: Verdict
    witnesses: tuple[Witnesses, ...]
    point: Leaves
    formulas: tuple[tuple[str, str], ...] = ()


def check_request(outcome: Outcome, tolerance: float, second: bool = False) -> Checked:
    """Judge the derivative of an evaluated request. Raises GradcliError where it is too large to be checked."""
    request = opened(outcome.request, outcome.made)
    leaves = {**outcome.made, **outcome.leaves}
    by = tuple(name for name, leaf in leaves.items() if leaf.requires_grad)
    point = {name: _double(leaf) for name, leaf in leaves.items()}
    if any(point[name].is_complex() for name in by):
        return Checked(Verdict(None, _COMPLEX), (), point)
    if not by:
        return Checked(Verdict(None, "no input requires grad, so there is nothing to check"), (), point)
    _bounded(point, by)

    def evaluate(leaves: Leaves) -> tuple[torch.Tensor, ...]:
        with seeded(request):
            return record(request, leaves, None).results

    blocks = any(isinstance(step, Enter) for step in request.program.steps)
    subject = Subject(evaluate, point, by, batches=not draws(request), forwards=not blocks)
    with quiet():
        checked = _judged(request, subject, tolerance)
        if second and checked.verdict.passed:
            from gradcli.engine.checking.second import second_order

            checked = second_order(subject, tolerance, checked)
    return checked


_COMPLEX = "complex inputs are not judged: write them with their parts, torch.complex(a, b), and give a and b"


def _double(leaf: torch.Tensor) -> torch.Tensor:
    found = leaf.detach()
    return found.double() if found.is_floating_point() else found


def _bounded(point: Leaves, by: tuple[str, ...]) -> None:
    count = sum(point[name].numel() for name in by)
    if count > MOST:
        raise GradcliError(
            "bounds",
            f"check differentiates element by element: {count:,} are more than {MOST:,}",
            hint="check a part of it, or a smaller input",
        )


def _judged(request: Request, subject: Subject, tolerance: float) -> Checked:
    observed = observe(request, modes.leaves_of(subject))
    results = [one.detach() for one in observed.results]
    weights = observed.weights
    tried = trial(observed)
    _, reverse = modes.reverse(subject, weights)
    probe = Probe(subject)
    (witnesses,) = hear(subject, probe, [reverse], [weights])
    known = exact(request.program, subject.point, subject.by, observed.values, weights)
    witnesses = tuple(_with_exact(one, known) for one in witnesses)
    source = request.program.source
    verdict = (
        of_misses(tried.misses, source)
        or of_values(results, observed, source)
        or judge(witnesses, tolerance, probe, weights, tried)
    )
    if verdict.passed is False and tried.cuts and not tried.misses:
        cut = _text(tried.cuts[0], source)
        verdict = replace(verdict, reason=f"{verdict.reason}; {cut} cuts a path, so that reverse mode leaves it out")
    lost = _value_lost(known, results, tried) if verdict.passed else None
    if lost and "ill-conditioned" not in verdict.reason:
        verdict = replace(verdict, reason=f"{verdict.reason}; {lost}")
    return Checked(verdict, witnesses, subject.point)


def _with_exact(one: Witnesses, known: Exact | None) -> Witnesses:
    if known is None:
        return one
    return replace(one, exact=[None if slope is None else float(slope) for slope in known.slopes[one.name]])


def of_misses(found: Iterable[Miss], source: str) -> Verdict | None:
    """torch itself is wrong: an operator misses its own result."""
    worst = max(found, key=lambda one: abs(one.got - one.want) / max(abs(one.want), 1e-300), default=None)
    if worst is None:
        return None
    at = f" at {worst.operand!r}" if worst.operand is not None else ""
    what = "gradient" if worst.what == "slope" else "value"
    text = _text(worst.step, source)
    return Verdict(
        False, f"torch is wrong here: the {what} of {text}{at} is {worst.got:.6g}; exactly it is {worst.want:.6g}"
    )


def of_values(results: list[torch.Tensor], observed: Observed, source: str) -> Verdict | None:
    """A value that is not finite has no derivative to check."""
    if all(bool(torch.isfinite(one).all()) for one in results):
        return None
    reason = "the value itself is not finite here, so there is no derivative to check"
    for call in observed.calls:
        made = [one for one in tensors(call.value) if one.is_floating_point() and not bool(one.isfinite().all())]
        if made:
            number = float(made[0][~made[0].isfinite()].reshape(-1)[0])
            return Verdict(None, f"{reason}: {_text(call.step, source)} gives {number}")
    return Verdict(None, reason)


def _text(step: Call, source: str) -> str:
    return " ".join(source[step.span.start : step.span.end].split())


def _value_lost(known: Exact | None, results: list[torch.Tensor], tried: Trial) -> str | None:
    """What is to be said of digits of the value that cancellation between operators takes."""
    if known is None or not tried.acquitted:
        return None
    pairs = [
        pair
        for one, got in zip(known.outputs, results, strict=True)
        for pair in zip(got.reshape(-1).tolist(), map(float, one), strict=True)
    ]
    largest = max((abs(want) for _, want in pairs), default=0.0)
    have, want = max(pairs, key=lambda pair: abs(pair[0] - pair[1]), default=(0.0, 0.0))
    if abs(have - want) <= max(AGREES * largest, 1e-306):
        return None
    return f"ill-conditioned: about {lost_digits(have, want)} of 16 digits of the value are lost to cancellation ({have:.6g}; exact {want:.6g})"


def judge(
    witnesses: tuple[Witnesses, ...], tolerance: float, probe: Probe, weights: list[torch.Tensor],
    tried: Trial | None = None,
) -> Verdict:  # fmt: skip
    """The gravest verdict of all inputs, or that they agree."""
    flat = torch.cat([one.reshape(-1) for one in weights]) if weights else torch.zeros(0, dtype=torch.float64)

    def again(name: str, index: int) -> differences.Slope:
        return differences.again(probe, name, index, flat)

    cases = [Case(one, tolerance, tried, again) for one in witnesses]
    return gravest(found for case in cases if (found := of_case(case)) is not None) or _agreed(witnesses)


def _agreed(witnesses: tuple[Witnesses, ...]) -> Verdict:
    number = sum(len(one.numeric) for one in witnesses)
    kinds = [
        "reverse mode",
        *(["forward mode"] if all(one.forward for one in witnesses) else []),
        "differences",
        *(["the exact derivative"] if all(one.exact and None not in one.exact for one in witnesses) else []),
    ]
    elements = "the derivative" if number == 1 else f"all {number} derivatives"
    return Verdict(True, f"{', '.join(kinds[:-1])} and {kinds[-1]} agree on {elements}")
