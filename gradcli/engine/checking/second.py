"""The second derivative: the gradient of the weighted outputs, taken as a function and checked like any other."""

from __future__ import annotations

import re
from dataclasses import replace

import torch

from gradcli.engine.checking import modes
from gradcli.engine.checking.check import Checked, judge
from gradcli.engine.checking.probe import Probe
from gradcli.engine.checking.subject import Leaves, Subject, uneven
from gradcli.engine.checking.verdict import Verdict
from gradcli.engine.checking.witnesses import hear

# What torch says of an operation without a second derivative.
ONCE = re.compile(r"once_differentiable|differentiate twice|derivative for .* is not implemented", re.IGNORECASE)


def second_order(subject: Subject, tolerance: float, first: Checked) -> Checked:
    """Judge the Hessian times a vector of unequal numbers. `first` is what was found of the first order."""
    other = gradient_of(subject)
    weights = uneven(other.outputs(other.point))
    try:
        _, reverse = modes.reverse(other, weights)
    except RuntimeError as error:
        if not ONCE.search(str(error)):
            raise
        reason = "it has no second derivative: its backward is marked once_differentiable"
        return replace(first, verdict=Verdict(False, reason, "G206"))
    probe = Probe(other)
    (witnesses,) = hear(other, probe, [reverse], [weights], forwards=False)
    verdict = judge(witnesses, tolerance, probe, weights)
    if verdict.passed and not verdict.input:
        agreed = f"{first.verdict.reason}; so do reverse mode and differences on the second derivative"
        return replace(first, verdict=replace(first.verdict, reason=agreed))
    return Checked(replace(verdict, reason=f"second derivative: {verdict.reason}"), witnesses, first.point)


def gradient_of(subject: Subject) -> Subject:
    """The gradient of the weighted outputs, by all inputs, as a function of the same inputs."""

    def evaluate(leaves: Leaves) -> tuple[torch.Tensor, ...]:
        with torch.enable_grad():
            own = {name: _recording(one) if name in subject.by else one for name, one in leaves.items()}
            results = subject.evaluate(own)
            weights = uneven([one.detach() for one in results if one.is_floating_point()])
            found = modes.gradients(results, [own[name] for name in subject.by], subject.by, weights, create_graph=True)
        return tuple(torch.zeros_like(leaves[name]) if one is None else one for name, one in found.items())

    return Subject(evaluate, subject.point, subject.by, batches=False, forwards=False)


def _recording(leaf: torch.Tensor) -> torch.Tensor:
    return leaf if leaf.requires_grad else leaf.detach().requires_grad_()
