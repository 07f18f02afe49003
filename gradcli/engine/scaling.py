"""Loss scaling: the gradients of a scaled loss, unscaled again, and what this dtype loses of them beside float64.

Backward is linear in the gradient that it starts with, so the loss times S is backward from S instead of 1. Small
gradients then stay above the smallest number of a 16-bit dtype, and large ones may pass its largest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch

from gradcli.engine.derivatives import Blocks, differentiable
from gradcli.engine.forward import fresh_leaves
from gradcli.engine.gradient import Outcome, differentiate, roots
from gradcli.engine.readable import all_readable, computable
from gradcli.engine.recording import Request, quiet, record
from gradcli.engine.widening import in_float64
from gradcli.errors import GradcliError
from gradcli.extras import Lost, Scaling

POWERS = range(25)  # exponents of the scales that auto tries: 2⁰ to 2²⁴
_WIDE = {True: torch.complex128, False: torch.float64}

Grads = Mapping[str, torch.Tensor | None]


def scaled(request: Request, scale: float | None) -> tuple[Outcome, Scaling]:
    """The outcome with unscaled gradients, and the scaled ones that they were made of.

    A scale of None: the middle of the powers of two that keep every gradient which is not 0 in float64; where there is
    none, the one that keeps most. Raises GradcliError of kind usage where float64 cannot be compared with for that.
    """
    outcome = differentiate(request, keep=True)
    inputs = differentiable(outcome)
    if not outcome.went_back or not inputs:
        return outcome, Scaling(scale or 1.0, dict.fromkeys(inputs), None, None, scale is None)
    with quiet():
        true = _in_float64(outcome)
        pull = _puller(outcome, inputs)
        window = None
        if scale is None:
            scale, window, grads = _search(outcome, pull, true)
        else:
            grads = pull(scale)
        found = Scaling(
            scale, grads, _lost(grads, true), _lost(pull(1.0), true), searched=window is not None, window=window or None
        )
    views = {
        name: view._replace(grad=_unscaled(grads[name], scale)) if name in grads else view
        for name, view in outcome.inputs.items()
    }
    return outcome._replace(inputs=views, retold=True), found


Window = tuple[float, float] | tuple[()]


def _search(outcome: Outcome, pull: Callable[[float], Grads], true: Grads | None) -> tuple[float, Window, Grads]:
    """The scale to take, the window of those that keep everything (empty where there is none), the gradients."""
    if true is None:
        raise GradcliError(
            "usage", "--loss-scale auto compares with float64, where this text gives other numbers or none",
            source=outcome.request.program.source, hint="give a scale: --loss-scale 1024",
        )  # fmt: skip
    tried = [(2.0**power, pull(2.0**power)) for power in POWERS]
    counts = [sum(one.under + one.over for one in (_lost(grads, true) or {}).values()) for _, grads in tried]
    least = min(counts)
    best = [index for index, count in enumerate(counts) if count == least]
    run = best[: next((i for i in range(1, len(best)) if best[i] != best[i - 1] + 1), len(best))]
    scale, grads = tried[run[len(run) // 2] if least == 0 else run[0]]
    window: Window = (tried[run[0]][0], tried[run[-1]][0]) if least == 0 else ()
    return scale, window, grads


def _puller(outcome: Outcome, inputs: Blocks) -> Callable[[float], Grads]:
    """The gradients of a recorded evaluation for a scale."""
    starts = roots(outcome.request, outcome.results, outcome.upstream)

    def pull(scale: float) -> Grads:
        factor = torch.tensor(scale, dtype=torch.float64)
        vectors = [_times(root, vector, factor) for root, vector in starts]
        found = torch.autograd.grad(
            [root for root, _ in starts], list(inputs.values()), vectors, retain_graph=True, allow_unused=True
        )
        kept = all_readable(found)
        return {name: one.detach() if one is not None else None for name, one in zip(inputs, kept, strict=True)}

    return pull


def _times(root: torch.Tensor, vector: torch.Tensor | None, factor: torch.Tensor) -> torch.Tensor:
    """The gradient to start with, rounded to the dtype of the output: infinite where the scale passes its range."""
    factor = factor.to(root.device)
    return (factor.to(root.dtype) if vector is None else (vector * factor).to(root.dtype)).expand_as(root)


def _in_float64(outcome: Outcome) -> Grads | None:
    """The gradients of the same numbers in float64; None where the text draws others there, or cannot be widened."""
    request = outcome.request
    if request.program.random:
        return None
    wide = in_float64(request)
    leaves = {}
    for name, leaf in fresh_leaves(outcome).items():
        number = leaf.is_floating_point() or leaf.is_complex()
        leaves[name] = leaf.to(_WIDE[leaf.is_complex()]) if number else leaf
        leaves[name].requires_grad_(outcome.leaves[name].requires_grad)
    try:
        recording = record(wide, leaves, outcome.upstream)
        live = {**recording.made, **leaves}
        names = list(differentiable(outcome))
        starts = roots(wide, recording.results, recording.upstream)
        found = torch.autograd.grad(
            [root for root, _ in starts], [live[name] for name in names], [vector for _, vector in starts],
            allow_unused=True,
        )  # fmt: skip
    except Exception:
        return None
    return dict(zip(names, all_readable(found), strict=True))


def _lost(grads: Grads, true: Grads | None) -> dict[str, Lost] | None:
    """What became 0, infinite or NaN of gradients that are finite in float64, by input."""
    if true is None:
        return None
    found = {}
    for name, got in grads.items():
        exact = true.get(name)
        if got is None or exact is None:
            continue
        got, finite = computable(got), exact.isfinite()
        there = finite & (exact != 0)
        found[name] = Lost(int((there & (got == 0)).sum()), int((finite & ~got.isfinite()).sum()), int(there.sum()))
    return found


def _unscaled(grad: torch.Tensor | None, scale: float) -> torch.Tensor | None:
    """A gradient divided by its scale; one of 16 bits in float32, as it would vanish again in its own dtype."""
    if grad is None:
        return None
    if grad.is_complex():
        wide = grad.to(torch.complex64) if grad.itemsize < 8 else grad
    else:
        wide = grad.float() if grad.itemsize < 4 else grad
    return wide / scale
