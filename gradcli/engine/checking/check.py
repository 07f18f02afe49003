"""The check of a text: every witness at one point, in float64, and the verdict."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import torch

from gradcli.engine.checking import local, numeric, through
from gradcli.engine.checking.subject import Leaves, Subject, forward_gradients, gradients
from gradcli.engine.checking.verdict import Verdict, Witnesses, of_misses, of_values, of_witnesses, plain
from gradcli.engine.recording import Request, make_leaves, quiet, record, seeded
from gradcli.errors import GradcliError

# What torch says of an operation without a second derivative.
ONCE = re.compile(r"once_differentiable|differentiate twice", re.IGNORECASE)

MOST = 2000  # elements that are differentiated one by one


@dataclass(frozen=True, slots=True)
class Checked:
    """A verdict, and what each witness said of each input."""

    verdict: Verdict
    witnesses: tuple[Witnesses, ...]
    point: Leaves
    results: tuple[torch.Tensor, ...]


def check_request(request: Request, tolerance: float, second: bool = False) -> Checked:
    """Judge the derivative of a request's text. Raises GradcliError where it cannot be evaluated, or is too large."""
    with quiet(), seeded(request):
        given = make_leaves(request)
    by = tuple(name for name, leaf in given.items() if leaf.requires_grad and not leaf.is_complex())
    point = {
        name: leaf.detach().double() if leaf.is_floating_point() else leaf.detach() for name, leaf in given.items()
    }
    count = sum(point[name].numel() for name in by)
    if count > MOST:
        raise GradcliError(
            "bounds",
            f"check differentiates element by element: {count:,} are more than {MOST:,}",
            hint="check a part, or a smaller input",
        )

    def evaluate(leaves: Leaves) -> tuple[torch.Tensor, ...]:
        with seeded(request):
            return record(request, leaves, None).results

    subject = Subject(evaluate, point, by)
    with quiet():
        checked = _judged(request, subject, tolerance)
        return second_order(subject, tolerance, checked) if second and checked.verdict.passed else checked


def _judged(request: Request, subject: Subject, tolerance: float) -> Checked:
    program = request.program
    found, judged, unjudged = ([], 0, 1) if program.writes else local.misses(program, _values(request, subject))
    results, reverse = gradients(subject)
    witnesses = witness(subject, reverse)
    if not program.writes and not program.random:
        witnesses = tuple(_with_exact(one, request, subject) for one in witnesses)
    verdict = (
        of_misses(found, program.source)
        or of_values(results)
        or _agreed(witnesses, tolerance, judged > 0 and not unjudged)
    )
    return Checked(verdict, witnesses, subject.point, tuple(one.detach() for one in results))


def _values(request: Request, subject: Subject) -> list[Any]:
    """The value of every step in float64."""
    values: list[Any] = [None] * len(request.program.steps)

    def note(index: int, value: Any) -> None:
        values[index] = value

    with seeded(request), torch.no_grad():
        record(request, subject.point, None, note)
    return values


def witness(subject: Subject, reverse: dict[str, torch.Tensor | None], forwards: bool = True) -> tuple[Witnesses, ...]:
    """Reverse mode, forward mode where it is asked for, and differences, for each input."""
    forward = forward_gradients(subject) if forwards else None
    found = []
    for name in subject.by:
        back = reverse[name]
        found.append(
            Witnesses(
                name,
                tuple(subject.point[name].shape),
                back.detach().reshape(-1).tolist() if back is not None else None,
                forward[name].reshape(-1).tolist() if forward else None,
                numeric.slopes(subject, name),
                None,
            )
        )
    return tuple(found)


def _with_exact(one: Witnesses, request: Request, subject: Subject) -> Witnesses:
    found = through.derivative(request.program, subject.point, one.name)
    return Witnesses(one.name, one.shape, one.reverse, one.forward, one.numeric, plain(found) if found else None)


def second_order(subject: Subject, tolerance: float, first: Checked) -> Checked:
    """The same for the gradient, weighted, as a function: the Hessian times a vector of unequal numbers."""
    other = gradient_of(subject)
    try:
        results, reverse = gradients(other)
    except RuntimeError as error:
        if not ONCE.search(str(error)):
            raise
        reason = "it has no second derivative: its backward is marked once_differentiable"
        return Checked(Verdict(False, reason, "G206"), first.witnesses, first.point, first.results)
    found = judge(witness(other, reverse, forwards=False), results, subject.point, tolerance)
    if found.verdict.passed:
        agreed = Verdict(True, f"{first.verdict.reason}; so do those of second order")
        return Checked(agreed, first.witnesses, first.point, first.results)
    verdict = found.verdict
    silent = next((one.name for one in found.witnesses if one.reverse is None), None)
    if verdict.passed is False and silent:
        reason = (
            f"{verdict.reason}: the gradient was computed from a saved intermediate that does not lead back to {silent}"
        )
        verdict = Verdict(False, reason, "G206", silent)
    told = Verdict(verdict.passed, f"second derivative: {verdict.reason}", verdict.code, verdict.input)
    return Checked(told, found.witnesses, found.point, found.results)


def gradient_of(subject: Subject) -> Subject:
    """The gradient of the weighted outputs, by all inputs, as a function of the same inputs."""

    def evaluate(leaves: Leaves) -> tuple[torch.Tensor, ...]:
        with torch.enable_grad():
            own = {name: _recording(one) if name in subject.by else one for name, one in leaves.items()}
            roots = [(one * weights(one)).sum() for one in subject.evaluate(own) if one.requires_grad]
            wanted = [own[name] for name in subject.by]
            found = (
                torch.autograd.grad(roots, wanted, create_graph=True, allow_unused=True)
                if roots
                else [None] * len(wanted)
            )
        return tuple(torch.zeros_like(one) if grad is None else grad for one, grad in zip(wanted, found, strict=True))

    return Subject(evaluate, subject.point, subject.by)


def _recording(leaf: torch.Tensor) -> torch.Tensor:
    return leaf if leaf.requires_grad else leaf.detach().requires_grad_()


def weights(like: torch.Tensor) -> torch.Tensor:
    """Unequal numbers between 1 and 1.37, one for each element."""
    count = torch.arange(like.numel(), dtype=like.dtype).reshape(like.shape)
    return 1 + 0.37 * torch.remainder(count * 0.618 + 0.21, 1)


def judge(witnesses: tuple[Witnesses, ...], results: list[torch.Tensor], point: Leaves, tolerance: float) -> Checked:
    """The verdict on a function of which nothing is known but its witnesses."""
    verdict = of_values(results) or _agreed(witnesses, tolerance, False)
    return Checked(verdict, witnesses, point, tuple(one.detach() for one in results))


def _agreed(witnesses: tuple[Witnesses, ...], tolerance: float, proved: bool) -> Verdict:
    """The gravest verdict of all inputs: a failure before a doubt, a doubt before a remark."""
    found = [verdict for one in witnesses if (verdict := of_witnesses(one, tolerance, proved)) is not None]
    for passed in (False, None, True):
        for verdict in found:
            if verdict.passed is passed:
                return verdict
    if not witnesses:
        return Verdict(None, "no input requires grad, so there is nothing to check")
    number = sum(len(one.numeric) for one in witnesses)
    kinds = [
        "reverse mode",
        *(["forward mode"] if witnesses[0].forward else []),
        "differences",
        *(["the exact derivative"] if all(one.exact for one in witnesses) else []),
    ]
    elements = "the derivative" if number == 1 else f"all {number} derivatives"
    return Verdict(True, f"{', '.join(kinds[:-1])} and {kinds[-1]} agree on {elements}")
