"""Three ways to evaluate a program at many points: one broadcast, torch's vmap, and one point after the other.

For an output y and a swept input x, the value at a point is Σ y over all elements, and the gradient ∂(Σ y)/∂x, as
`grad` has them at this point alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch

from gradcli.engine.batching import batched
from gradcli.engine.gradient import roots
from gradcli.engine.pulling import pulled
from gradcli.engine.readable import readable
from gradcli.engine.recording import Request, make_leaves, quiet, record, recordable, seeded
from gradcli.engine.sweeping.numbers import Numbers

Points = Mapping[str, torch.Tensor]
"""For each swept input its values: (points, *shape of the input)."""


def fixed(request: Request) -> Request:
    """The request without its swept inputs; nothing of what is left requires grad."""
    given = tuple(one for one in request.given if one.name not in request.swept)
    return request._replace(given=given, wrt=frozenset(), notes=False)


def broadcast(request: Request, points: Points, bend: str | None = None) -> Numbers:
    """All points in one evaluation and one backward pass, along a last dimension that no step reaches across.

    `bend`: the gradient by this input instead, and its own gradients.
    """
    count = len(next(iter(points.values())))
    with recordable(), quiet(), seeded(request):
        still = {name: one.unsqueeze(-1) for name, one in make_leaves(fixed(request)).items()}
        leaves = _leaves(points, request)
        results = record(fixed(request), {**still, **leaves}, None).results
        if any(one.dim() and one.shape[-1] not in (count, 1) for one in results):
            raise ValueError("an output does not have its points along its last dimension")
        value = _total([(one.flatten(0, -2).sum(0) if one.dim() > 1 else one).expand(count) for one in results])
        starts = [one for one in results if one.requires_grad]
        return _numbers(value, starts, leaves, bend)


def values_of(request: Request, points: Points) -> dict[int, torch.Tensor]:
    """What each step gives at all points, for programs that work element by element."""
    found: dict[int, torch.Tensor] = {}

    def watch(index: int, value: object) -> None:
        if isinstance(value, torch.Tensor):
            found[index] = value.detach()

    with torch.no_grad(), quiet(), seeded(request):
        still = {name: one.detach().unsqueeze(-1) for name, one in make_leaves(fixed(request)).items()}
        record(fixed(request), {**still, **points}, None, watch)
    return found


def mapped(request: Request, points: Points, bend: str | None = None) -> Numbers:
    """All points in one evaluation under vmap and one backward pass: points do not reach one another."""
    with recordable(), quiet(), seeded(request):
        still = make_leaves(fixed(request))
        leaves = _leaves(points, request)
        names = list(leaves)

        def total(*here: torch.Tensor) -> list[torch.Tensor]:
            results = record(fixed(request), {**still, **dict(zip(names, here, strict=True))}, None).results
            return [total_of(results)]

        (value,) = batched(total, *leaves.values(), randomness="same")
        starts = [value] if value.requires_grad else []
        return _numbers(value, starts, leaves, bend)


def alone(request: Request, points: Points) -> Numbers:
    """One point, evaluated as `grad` does it.

    Raises GradcliError where torch refuses it.
    """
    with recordable(), quiet(), seeded(request):
        still = make_leaves(fixed(request))
        leaves = {name: one[0].detach().clone().requires_grad_(name in request.swept) for name, one in points.items()}
        recording = record(fixed(request), {**still, **leaves}, None)
        results = recording.results
        value = total_of(results)
        back = request.mode == "grad" and any(one.requires_grad for one in results)
        starts = roots(request, results, recording.upstream) if back else []
        grads = _pull([root for root, _ in starts], leaves, [vector for _, vector in starts])
    stacked = {name: None if one is None else one.unsqueeze(0) for name, one in grads.items()}
    return Numbers(value.detach().unsqueeze(0), stacked)


def _leaves(points: Points, request: Request) -> dict[str, torch.Tensor]:
    """Fresh leaves: copies only where the program may write to them."""
    made = {name: one.detach() for name, one in points.items()}
    return {name: (one.clone() if request.program.writes else one).requires_grad_() for name, one in made.items()}


def _numbers(
    value: torch.Tensor, starts: list[torch.Tensor], leaves: dict[str, torch.Tensor], bend: str | None
) -> Numbers:
    """The value with its gradients, or with `bend` a gradient and its own."""
    grads = _pull(starts, leaves, list(map(_ones, starts)), bend is not None)
    slope = None if bend is None else grads[bend]
    if slope is None:
        return Numbers(value.detach(), grads)
    again = [slope] if slope.requires_grad else []
    return Numbers(slope.detach(), _pull(again, leaves, list(map(_ones, again))))


def _pull(
    starts: list[torch.Tensor],
    leaves: dict[str, torch.Tensor],
    vectors: list[torch.Tensor | None],
    further: bool = False,
) -> dict[str, torch.Tensor | None]:
    if not starts:
        return dict.fromkeys(leaves)
    found = pulled(starts, list(leaves.values()), vectors, create_graph=further, allow_unused=True)
    return {name: None if one is None else readable(one) for name, one in zip(leaves, found, strict=True)}


def _ones(like: torch.Tensor) -> torch.Tensor:
    """An upstream gradient of ones that takes no memory."""
    return torch.ones((), dtype=like.dtype, device=like.device).expand(like.shape)


def total_of(results: Iterable[torch.Tensor]) -> torch.Tensor:
    """The outputs as one number: the sum of those with several elements, as backward begins with, and of all."""
    return _total([one.reshape(()) if one.numel() == 1 else one.sum() for one in results])


def _total(results: list[torch.Tensor]) -> torch.Tensor:
    first, *others = results
    for one in others:
        first = first + one
    return first
