"""What is checked: a function from leaves in float64 to output tensors, whether text or the user's own code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

Leaves = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Subject:
    """`evaluate(leaves)` gives the outputs; `point` holds the inputs by name, of which `by` are differentiated."""

    evaluate: Callable[[Leaves], tuple[torch.Tensor, ...]]
    point: Leaves
    by: tuple[str, ...]

    def outputs(self, point: Leaves) -> list[torch.Tensor]:
        """The floating outputs at a point, without a graph."""
        with torch.no_grad():
            return [one.detach() for one in self.evaluate(point) if one.is_floating_point()]

    def moved(self, name: str, index: int, by: float) -> Leaves:
        """The point with one element of one input moved."""
        changed = self.point[name].detach().clone()
        changed.view(-1)[index] += by
        return {**self.point, name: changed}


def leaves_of(subject: Subject) -> Leaves:
    """Fresh leaves at the point: those that are differentiated require grad."""
    return {
        name: one.detach().clone().requires_grad_(name in subject.by) if one.is_floating_point() else one
        for name, one in subject.point.items()
    }


def gradients(subject: Subject) -> tuple[list[torch.Tensor], dict[str, torch.Tensor | None]]:
    """Reverse mode: the outputs, and the gradient of their sum by each input (None where nothing came)."""
    leaves = leaves_of(subject)
    with torch.enable_grad():
        results = subject.evaluate(leaves)
        roots = [one.sum() for one in results if one.requires_grad]
        if not roots:
            return list(results), dict.fromkeys(subject.by)
        found = torch.autograd.grad(roots, [leaves[name] for name in subject.by], allow_unused=True)
    return list(results), dict(zip(subject.by, found, strict=True))


def forward_gradients(subject: Subject) -> dict[str, torch.Tensor] | None:
    """Forward mode: the same gradient, one tangent for each element; None where torch has no forward formula."""
    from torch.autograd import forward_ad

    found: dict[str, torch.Tensor] = {}
    try:
        for name in subject.by:
            point = subject.point[name].detach()
            slopes = torch.zeros(point.numel(), dtype=torch.float64)
            for index in range(point.numel()):
                tangent = torch.zeros_like(point)
                tangent.view(-1)[index] = 1.0
                with forward_ad.dual_level():
                    dual = forward_ad.make_dual(point.clone(), tangent)  # type: ignore[no-untyped-call]
                    results = subject.evaluate({**subject.point, name: dual})
                    tangents = [forward_ad.unpack_dual(one).tangent for one in results if one.is_floating_point()]  # type: ignore[no-untyped-call]
                    slopes[index] = sum(float(one.sum()) for one in tangents if one is not None)
            found[name] = slopes.reshape(point.shape)
    except Exception:
        return None
    return found
