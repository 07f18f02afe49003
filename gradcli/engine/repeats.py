"""Backward again and again: how `.grad` accumulates over calls, each on a graph evaluated anew."""

from __future__ import annotations

import torch

from gradcli.engine.derivatives import differentiable
from gradcli.engine.gradient import Outcome, differentiate, go_back
from gradcli.engine.readable import readable
from gradcli.engine.recording import Request, make_leaves, make_upstream, quiet, record, seeded
from gradcli.extras import Grads, History


def repeated(request: Request, calls: int, zeroed: bool) -> tuple[Outcome, History]:
    """The outcome of the last evaluation, and `.grad` after each of several backward calls.

    With `zeroed` it is set to None before each call, as `optimizer.zero_grad()` does, and told beside what it is
    without. Random numbers are drawn anew for each evaluation, as in a training loop; the inputs keep their values.
    """
    outcome = differentiate(request)
    if not outcome.went_back:
        nothing: dict[str, Grads] = dict.fromkeys(differentiable(outcome), (None,) * calls)
        return outcome, History(nothing, nothing if zeroed else None)
    kept, results = _history(request, outcome, calls, zeroed=False)
    found = _history(request, outcome, calls, zeroed=True)[0] if zeroed else kept
    inputs = {
        name: view._replace(grad=found[name][-1] if name in found else None) for name, view in outcome.inputs.items()
    }
    pairs = zip(outcome.outputs, results, strict=True)
    outputs = tuple(view._replace(value=result.detach()) for view, result in pairs)
    return outcome._replace(inputs=inputs, outputs=outputs, retold=True), History(found, kept if zeroed else None)


def _history(
    request: Request, outcome: Outcome, calls: int, zeroed: bool
) -> tuple[dict[str, Grads], tuple[torch.Tensor, ...]]:
    """`.grad` after each call, and the last results."""
    found: dict[str, list[torch.Tensor | None]] = {name: [] for name in differentiable(outcome)}
    with quiet(), seeded(request):
        start, upstream = make_leaves(request), make_upstream(request)
        leaves = start
        for _ in range(calls):
            if request.program.writes:
                leaves = {name: _copy(start[name], leaves[name].grad) for name in start}
            recording = record(request, leaves, upstream)
            live = {**recording.made, **leaves}
            if zeroed:
                for name in found:
                    live[name].grad = None
            go_back(request, recording.results, recording.upstream)
            for name, grads in found.items():
                grad = live[name].grad
                grads.append(readable(grad.detach().clone()) if grad is not None else None)
    return {name: tuple(grads) for name, grads in found.items()}, recording.results


def _copy(leaf: torch.Tensor, grad: torch.Tensor | None) -> torch.Tensor:
    """A leaf of the same value that a program may write to, with the gradient of the one before."""
    copy = leaf.detach().clone().requires_grad_(leaf.requires_grad)
    copy.grad = grad
    return copy
