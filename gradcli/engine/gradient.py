"""One evaluation and one backward pass: the values, what torch recorded about them, and the gradients.

For a given program f, inputs x and upstream gradient v, `.grad` of an input is vᵀ · ∂f/∂x. Without v, an output of
several elements is reduced to its sum first, so that v is all ones (mean: 1/n).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from gradcli.engine.evaluate import USUAL, Watch
from gradcli.engine.failures import backward_failure
from gradcli.engine.looking import Looks
from gradcli.engine.nodes import name_of
from gradcli.engine.plan import Plan, plan_of, planned
from gradcli.engine.readable import readable
from gradcli.engine.recording import (
    Request,
    make_leaves,
    make_upstream,
    quiet,
    record,
    recordable,
    records,
    seeded,
    texts,
)
from gradcli.errors import GradcliError, Span
from gradcli.results import TensorView

REDUCTIONS = ("sum", "mean", "none")


class Outcome(NamedTuple):
    """What an evaluation left behind: views for results, live tensors for whoever must look further.

    `looks`: what was seen on the way; `derived`: derivatives that were asked for instead of .grad, by input or "";
    `bent`: those of a higher order, by input and order;
    `retold`: .grad is not what one plain pass leaves, but accumulated or unscaled;
    `began`: the number that backward began at, where that is the sum or the mean of the one output.
    """

    request: Request
    inputs: dict[str, TensorView]
    outputs: tuple[TensorView, ...]
    leaves: dict[str, torch.Tensor]
    made: dict[str, torch.Tensor]
    results: tuple[torch.Tensor, ...]
    went_back: bool
    warned: tuple[str, ...]
    upstream: torch.Tensor | None = None
    looks: Looks | None = None
    derived: Sequence[tuple[str, torch.Tensor]] = ()
    bent: Sequence[tuple[str, int, torch.Tensor]] = ()
    retold: bool = False
    began: torch.Tensor | None = None


def differentiate(request: Request, watch: Watch | None = None, keep: bool = False) -> Outcome:
    """Evaluate a request, and go back from its outputs where it asks for that and they require grad.

    `watch` sees every value as it is made; `keep`: the graph stays for further passes.
    Raises GradcliError of kind value (a value, an output that is no tensor) or torch (torch's own refusals).
    """
    looks = Looks(request.program, request.verify) if request.notes is True and request.program.looked else None
    plan = plan_of(request.program) if watch is None and request.settings == USUAL else None
    if plan is not None and plan.unheard(request) and records():
        return _differentiated(request, plan, looks, None, keep)
    with recordable(), quiet() as seen, seeded(request):
        outcome = _differentiated(request, plan, looks, watch, keep)
    return outcome._replace(warned=texts(seen)) if seen else outcome


def _differentiated(
    request: Request, plan: Plan | None, looks: Looks | None, watch: Watch | None, keep: bool
) -> Outcome:
    leaves, upstream = make_leaves(request), make_upstream(request)
    recording = planned(plan, request, leaves, upstream, looks) if plan is not None else None
    recording = recording or record(request, leaves, upstream, _both(looks, watch))
    results, made = recording.results, recording.made
    facts = _facts(request, results)
    went_back = request.backward and request.mode == "grad" and True in [requires for requires, _, _ in facts]
    began = go_back(request, results, recording.upstream, keep) if went_back else None
    outputs = tuple(
        [
            TensorView(name, label, one.detach(), requires, leaf, node, _gradient(one, leaf), None, span)
            for one, (name, label, span), (requires, leaf, node) in zip(results, recording.labels, facts, strict=True)
        ]
    )
    names = [name for name in request.program.inputs if name in leaves]
    if len(names) < len(leaves):
        names = list(dict.fromkeys((*names, *leaves)))
    inputs = {name: _input_view(name, leaves[name], request.origins[name]) for name in names}
    if made:
        inputs |= {name: _input_view(name, leaf, "inside") for name, leaf in made.items() if name not in inputs}
    return Outcome(
        request, inputs, outputs, leaves, made, results, went_back, (), recording.upstream, looks, began=began
    )


def _both(looks: Looks | None, watch: Watch | None) -> Watch | None:
    """One watch that is two."""
    if looks is None or watch is None:
        return looks or watch

    def both(index: int, value: Any) -> None:
        looks(index, value)
        watch(index, value)

    return both


def go_back(
    request: Request, results: tuple[torch.Tensor, ...], upstream: torch.Tensor | None, keep: bool = False
) -> torch.Tensor | None:
    """Run backward from the outputs, which leaves its gradients in `.grad` of the leaves.

    Returns the number that it began at, where that is the sum or the mean of the one output.
    """
    try:
        starts = roots(request, results, upstream)
        torch.autograd.backward([root for root, _ in starts], [vector for _, vector in starts], keep)
    except GradcliError:
        raise
    except Exception as error:
        raise backward_failure(error, root_span(request, len(results))) from error
    return starts[0][0] if starts and len(results) == 1 and upstream is None else None


def roots(
    request: Request, results: tuple[torch.Tensor, ...], upstream: torch.Tensor | None
) -> list[tuple[torch.Tensor, torch.Tensor | None]]:
    """Where backward starts: each output, reduced to one number, or with the gradient that was given for it."""
    if upstream is None:
        return [(_reduced(one, request.reduce), None) for one in results if one.requires_grad]
    if len(results) > 1:
        raise GradcliError(
            "usage", "an upstream gradient needs one output, and there are several", source=request.program.source,
            span=root_span(request, len(results)),
        )  # fmt: skip
    return [(results[0], _upstream(upstream, results[0]))]


def root_span(request: Request, outputs: int) -> Span:
    """What an error of a backward pass points at: the text's own backward(), or its output."""
    return (request.program.backward if outputs == 1 else None) or request.program.outputs[0].span


def _upstream(upstream: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
    upstream = upstream.detach().to(result.dtype)
    return upstream.expand(result.shape) if upstream.dim() == 0 else upstream


def _reduced(result: torch.Tensor, reduce: str) -> torch.Tensor:
    if reduce == "none" or result.numel() == 1:
        return result
    return result.mean() if reduce == "mean" else result.sum()


def _gradient(tensor: torch.Tensor, leaf: bool) -> torch.Tensor | None:
    grad = tensor.grad if leaf else None
    if grad is None:
        return None
    return readable(grad.detach() if grad.requires_grad else grad)


def _input_view(name: str, leaf: torch.Tensor, origin: str) -> TensorView:
    is_leaf = leaf.is_leaf
    node, grad = name_of(leaf.grad_fn), _gradient(leaf, is_leaf)
    return TensorView(name, name, leaf.detach(), leaf.requires_grad, is_leaf, node, grad, origin)


def _facts(request: Request, results: tuple[torch.Tensor, ...]) -> list[tuple[bool, bool, str | None]]:
    """requires_grad, is_leaf and the node of each output; torch refuses them of a view written to under no_grad."""
    try:
        return [(one.requires_grad, one.is_leaf, name_of(one.grad_fn)) for one in results]
    except RuntimeError as error:
        raise backward_failure(error, root_span(request, len(results))) from error
