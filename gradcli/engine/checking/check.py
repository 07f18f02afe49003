"""The check of a text: every witness at one point, in float64, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import torch

from gradcli.engine.checking import differences, modes, reasons
from gradcli.engine.checking.exact.symbolic import Formula, formulas
from gradcli.engine.checking.exact.through import Exact, exact
from gradcli.engine.checking.judging import Case, of_all
from gradcli.engine.checking.observed import observe
from gradcli.engine.checking.opened import opened
from gradcli.engine.checking.probe import Probe
from gradcli.engine.checking.subject import Leaves, Subject, Tensors
from gradcli.engine.checking.symmetric import reads_a_triangle, symmetrized
from gradcli.engine.checking.trial import Trial, trial
from gradcli.engine.checking.verdict import Verdict
from gradcli.engine.checking.witnesses import Witnesses, hear
from gradcli.engine.gradient import Outcome
from gradcli.engine.recording import Request, draws, quiet, record
from gradcli.errors import GradcliError
from gradcli.language.program import Enter

MOST = 2000  # elements that are differentiated one by one


@dataclass(frozen=True, slots=True)
class Checked:
    """A verdict, what each witness said of each input, the point, and what is to be known about the question."""

    verdict: Verdict
    witnesses: tuple[Witnesses, ...]
    point: Leaves
    remarks: tuple[str, ...] = ()


def check_request(outcome: Outcome, tolerance: float, second: bool = False) -> Checked:
    """Judge the derivative of an evaluated request. Raises GradcliError where it is too large to be checked."""
    request = symmetrized(opened(outcome.request, outcome.made))
    leaves = {**outcome.made, **outcome.leaves}
    by = tuple(name for name, leaf in leaves.items() if leaf.requires_grad)
    point = {name: _double(leaf) for name, leaf in leaves.items()}
    if any(point[name].is_complex() for name in by):
        reason = "complex inputs are not judged: write torch.complex(a, b), and give the real numbers a and b"
        return Checked(Verdict(None, reason), (), point)
    if not by:
        return Checked(Verdict(None, "no input requires grad, so there is nothing to check"), (), point)
    bounded(point, by)

    def evaluate(leaves: Leaves) -> tuple[torch.Tensor, ...]:
        with _drawing(request):
            return record(request, leaves, None).results

    blocks = any(isinstance(step, Enter) for step in request.program.steps)
    subject = Subject(evaluate, point, by, batches=not draws(request), forwards=not blocks)
    with quiet():
        checked = _judged(request, subject, tolerance)
        if second and checked.verdict.passed:
            from gradcli.engine.checking.second import second_order

            checked = second_order(subject, tolerance, checked)
    source = request.program.source
    remarks = tuple(f"{reasons.text_of(step, source)} {_SYMMETRIC}" for step in reads_a_triangle(request))
    return replace(checked, remarks=remarks)


_SYMMETRIC = "takes its matrix as symmetric: the derivative is that of (A + A.mT)/2, as torch has it."


def _double(leaf: torch.Tensor) -> torch.Tensor:
    found = leaf.detach()
    return (found.double() if found.is_floating_point() else found).contiguous()


def bounded(point: Leaves, by: tuple[str, ...]) -> None:
    """Raise GradcliError of kind bounds where there are too many elements to differentiate one by one."""
    count = sum(point[name].numel() for name in by)
    if count > MOST:
        raise GradcliError(
            "bounds",
            f"check differentiates element by element: {count:,} are more than {MOST:,}",
            hint="check a part of it, or a smaller input",
        )


@contextmanager
def _drawing(request: Request) -> Iterator[None]:
    """The same random numbers for each evaluation. (torch.manual_seed takes milliseconds, and this none.)"""
    if not draws(request):
        yield
        return
    state = torch.default_generator.get_state()
    try:
        torch.default_generator.manual_seed(request.seed)
        yield
    finally:
        torch.default_generator.set_state(state)


def _judged(request: Request, subject: Subject, tolerance: float) -> Checked:
    observed = observe(request, modes.leaves_of(subject))
    tried = trial(observed)
    weights = observed.weights
    _, reverse = modes.reverse(subject, weights)
    probe = Probe(subject)
    (witnesses,) = hear(subject, probe, [reverse], [weights])
    known = exact(request.program, subject.point, subject.by, observed.values, weights)
    written = formulas(request.program, subject.point, subject.by, observed.values)
    witnesses = tuple(_with_exact(one, known, written) for one in witnesses)
    source = request.program.source
    verdict = reasons.at_once(observed, tried, source) or judge(witnesses, tolerance, probe, weights, tried)
    return Checked(reasons.in_words(verdict, observed, tried, known, source), witnesses, subject.point)


def _with_exact(one: Witnesses, known: Exact | None, written: dict[str, Formula] | None) -> Witnesses:
    """The exact derivative, and its formula where that gives the same."""
    slopes = known.slopes[one.name] if known is not None else None
    formula = written[one.name] if written is not None else None
    if formula is not None and (slopes is None or formula.agrees(slopes)):
        return replace(one, exact=list(map(float, formula.values)), formula=formula.text)
    return replace(one, exact=None if slopes is None else [None if slope is None else float(slope) for slope in slopes])


def judge(
    witnesses: tuple[Witnesses, ...], tolerance: float, probe: Probe, weights: Tensors, tried: Trial | None = None
) -> Verdict:
    """The verdict that witnesses lead to; where differences disagree with them, after a second look."""
    flat = torch.cat([torch.zeros(0, dtype=torch.float64), *(one.reshape(-1) for one in weights)])

    def again(name: str, index: int) -> differences.Slope:
        return differences.again(probe, name, index, flat)

    return of_all([Case(one, tolerance, tried, again) for one in witnesses])
