"""The second derivative: the gradient of the weighted outputs, taken as a function and checked like any other."""

from __future__ import annotations

import re
from dataclasses import replace

import torch
from torch.autograd.function import BackwardCFunction

from gradcli.engine.checking import modes
from gradcli.engine.checking.check import Checked, judge
from gradcli.engine.checking.probe import Probe
from gradcli.engine.checking.subject import Leaves, Subject, Tensors, uneven
from gradcli.engine.checking.verdict import Verdict
from gradcli.engine.checking.witnesses import hear
from gradcli.engine.nodes import nodes

# What torch says of an operation without a second derivative.
ONCE = re.compile(r"once_differentiable|differentiate twice|derivative for .* is not implemented", re.IGNORECASE)


def second_order(subject: Subject, tolerance: float, first: Checked) -> Checked:
    """Judge the Hessian times a vector of unequal numbers. `first` is what was found of the first order."""
    other = gradient_of(subject)
    try:
        results, reverse = modes.reverse(other, None)
        weights = uneven(list(results))
        reverse = modes.reverse(other, weights)[1]
    except RuntimeError as error:
        if not ONCE.search(str(error)):
            raise
        return replace(first, verdict=Verdict(False, f"it has no second derivative: {_once(str(error))}", "G206"))
    if any(node.name() == "torch::autograd::Error" for node in nodes(results)):
        return replace(
            first, verdict=Verdict(False, f"it has no second derivative: {_once('once_differentiable')}", "G206")
        )
    probe = Probe(other)
    (witnesses,) = hear(other, probe, [reverse], [weights], forwards=False)
    verdict = judge(witnesses, tolerance, probe, weights)
    if verdict.passed and not verdict.input:
        agreed = f"{first.verdict.reason}; so do reverse mode and differences on the second derivative"
        return replace(first, verdict=replace(first.verdict, reason=agreed))
    if verdict.passed is False and (shape := _saved_inside(subject)) is not None:
        reason = f"{verdict.reason}: backward uses a tensor {shape} that forward computed and saved, which leads back to no input"
        verdict = replace(verdict, reason=reason, code="G206")
    return replace(first, verdict=replace(verdict, reason=f"second derivative: {verdict.reason}"), witnesses=witnesses)


def _once(text: str) -> str:
    return "its backward is marked once_differentiable" if "once_differentiable" in text else " ".join(text.split())


def gradient_of(subject: Subject) -> Subject:
    """The gradient of the weighted outputs, by all inputs, as a function of the same inputs."""

    def evaluate(leaves: Leaves) -> tuple[torch.Tensor, ...]:
        with torch.enable_grad():
            own = {name: _recording(one) if name in subject.by else one for name, one in leaves.items()}
            results = subject.evaluate(own)
            weights = [one.requires_grad_() for one in _weights(results)]  # so that once_differentiable speaks up
            found = modes.gradients(results, [own[name] for name in subject.by], subject.by, weights, create_graph=True)
        return tuple(torch.zeros_like(leaves[name]) if one is None else one for name, one in found.items())

    return Subject(evaluate, subject.point, subject.by, batches=False, forwards=False)


def _weights(results: tuple[torch.Tensor, ...]) -> Tensors:
    return uneven([one for one in results if one.is_floating_point()])


def _recording(leaf: torch.Tensor) -> torch.Tensor:
    return leaf if leaf.requires_grad else leaf.detach().requires_grad_()


def _saved_inside(subject: Subject) -> str | None:
    """The shape of a tensor that a custom Function saved and that is neither an input nor an output of it."""
    leaves = modes.leaves_of(subject)
    with torch.enable_grad():
        results = subject.evaluate(leaves)
    constants = {one.data_ptr() for one in leaves.values()}
    for node in nodes(results):
        if isinstance(node, BackwardCFunction):
            for saved in node.saved_tensors:
                number = saved is not None and saved.is_floating_point() and not saved.requires_grad
                if number and saved.data_ptr() not in constants:
                    return f"of shape ({'×'.join(map(str, saved.shape))})" if saved.dim() else "of one number"
    return None
