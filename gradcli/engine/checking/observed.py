"""One evaluation and one backward pass of a program, looked at from inside: what each step received and what came back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch.autograd.graph import GradientEdge, get_gradient_edge

from gradcli.engine.checking.subject import Leaves, Tensors, even
from gradcli.engine.defaults import tensors
from gradcli.engine.nested import mapped
from gradcli.engine.nodes import node_of
from gradcli.engine.operations import operand_value
from gradcli.engine.readable import all_readable
from gradcli.engine.recording import Request, record, seeded
from gradcli.language.program import Call

LARGEST = 20_000  # elements of an operand that is looked at


@dataclass(slots=True)
class Passed:
    """A call as it was made: its operands and its value at that moment, and the gradient that came back to it."""

    step: Call
    args: list[Any]
    kwargs: dict[str, Any]
    value: Any
    edge: GradientEdge | None
    upstream: torch.Tensor | None = None


@dataclass(slots=True)
class Observed:
    """The calls of an evaluation in order, the value of each step, the floating outputs and what weights they have."""

    values: list[Any]
    calls: list[Passed] = field(default_factory=list)
    results: Tensors = field(default_factory=list)
    weights: Tensors = field(default_factory=list)


def observe(request: Request, leaves: Leaves) -> Observed:
    """Evaluate a request from leaves, and go back from the sum of its floating outputs, or as its text says.

    Operands are copied where the program writes: what a step received may be overwritten later.
    """
    program = request.program
    found = Observed([None] * len(program.steps))
    live: list[Any] = [None] * len(program.steps)

    def copied(value: Any) -> Any:
        return value.detach().clone().requires_grad_(value.requires_grad) if isinstance(value, torch.Tensor) else value

    def kept(value: Any) -> Any:
        return mapped(copied, value) if program.writes else value

    def watch(index: int, value: Any) -> None:
        live[index] = value
        found.values[index] = kept(value)
        step = program.steps[index]
        if not isinstance(step, Call):
            return
        args = [operand_value(operand, live) for operand in step.args]
        kwargs = {name: operand_value(operand, live) for name, operand in step.kwargs}
        if all(one.numel() <= LARGEST for one in tensors([args, kwargs, value])):
            edge = get_gradient_edge(value) if isinstance(value, torch.Tensor) and node_of(value) is not None else None
            found.calls.append(Passed(step, kept(args), {n: kept(one) for n, one in kwargs.items()}, kept(value), edge))

    with seeded(request), torch.enable_grad():
        recording = record(request, leaves, None, watch)
    found.results = [one for one in recording.results if one.is_floating_point()]
    found.weights = even(found.results)
    if recording.upstream is not None and len(found.results) == 1:
        found.weights = [recording.upstream.detach().double().expand(found.results[0].shape)]
    _go_back(found)
    return found


def _go_back(found: Observed) -> None:
    roots = [
        (one, weight.to(one.dtype))
        for one, weight in zip(found.results, found.weights, strict=True)
        if one.requires_grad
    ]
    reached = [one for one in found.calls if one.edge is not None]
    if not roots or not reached:
        return
    edges = [one.edge for one in reached if one.edge is not None]
    starts, vectors = zip(*roots, strict=True)
    upstream = torch.autograd.grad(starts, edges, vectors, allow_unused=True)
    for one, gradient in zip(reached, all_readable(upstream), strict=True):
        one.upstream = gradient
