"""Reverse and forward mode: the derivative of a weighted sum of the outputs, as torch has it."""

from __future__ import annotations

import torch
from torch.autograd import forward_ad

from gradcli.engine.checking.subject import Leaves, Subject, Tensors
from gradcli.engine.readable import all_readable

AT_ONCE = 8  # tangents from which it pays to push them together


def leaves_of(subject: Subject) -> Leaves:
    """Fresh leaves at the point: those that are differentiated require grad."""
    return {
        name: one.detach().clone().requires_grad_(name in subject.by) if one.is_floating_point() else one
        for name, one in subject.point.items()
    }


def reverse(
    subject: Subject, weights: Tensors | None
) -> tuple[tuple[torch.Tensor, ...], dict[str, torch.Tensor | None]]:
    """The outputs, and the gradient of their weighted sum by each input (None where nothing came)."""
    leaves = leaves_of(subject)
    with torch.enable_grad():
        results = subject.evaluate(leaves)
    return results, gradients(results, [leaves[name] for name in subject.by], subject.by, weights)


def gradients(
    results: tuple[torch.Tensor, ...], wanted: Tensors, names: tuple[str, ...], weights: Tensors | None,
    create_graph: bool = False,
) -> dict[str, torch.Tensor | None]:  # fmt: skip
    """The gradient of the weighted sum of the floating outputs by some tensors."""
    floating = [one for one in results if one.is_floating_point()]
    vectors = weights if weights is not None else [torch.ones_like(one) for one in floating]
    pairs = [(one, vector.to(one.dtype)) for one, vector in zip(floating, vectors, strict=True) if one.requires_grad]
    if not pairs or not wanted:
        return dict.fromkeys(names)
    roots, cotangents = zip(*pairs, strict=True)
    found = torch.autograd.grad(roots, wanted, cotangents, create_graph=create_graph, allow_unused=True)
    return dict(zip(names, all_readable(found), strict=True))


def forward(subject: Subject, weights: Tensors) -> dict[str, list[float]] | None:
    """The same by forward mode, one tangent for each element; None where torch has no forward formula, or heeds none."""
    if not subject.forwards:
        return None
    try:
        return {name: _columns(subject, name, weights) for name in subject.by}
    except Exception:  # whatever refuses: this witness is optional
        return None


def _columns(subject: Subject, name: str, weights: Tensors) -> list[float]:
    point = subject.point[name].detach()
    basis = torch.eye(point.numel(), dtype=point.dtype).reshape(-1, *point.shape)
    if subject.batches and point.numel() >= AT_ONCE:
        try:
            return _together(subject, name, weights, basis)
        except Exception:
            pass  # torch cannot batch one of the steps: one after another
    return [_pushed(subject, name, weights, tangent) for tangent in basis]


def _pushed(subject: Subject, name: str, weights: Tensors, tangent: torch.Tensor) -> float:
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(subject.point[name].detach().clone(), tangent)  # type: ignore[no-untyped-call]
        results = [one for one in subject.evaluate({**subject.point, name: dual}) if one.is_floating_point()]
        tangents = [forward_ad.unpack_dual(one).tangent for one in results]  # type: ignore[no-untyped-call]
        pairs = zip(tangents, weights, strict=True)
        return sum(float((one * weight).sum()) for one, weight in pairs if one is not None)


def _together(subject: Subject, name: str, weights: Tensors, basis: torch.Tensor) -> list[float]:
    def evaluated(leaf: torch.Tensor) -> torch.Tensor:
        results = [one for one in subject.evaluate({**subject.point, name: leaf}) if one.is_floating_point()]
        return torch.stack([(one * weight).sum() for one, weight in zip(results, weights, strict=True)]).sum()

    def tangent(vector: torch.Tensor) -> torch.Tensor:
        return torch.func.jvp(evaluated, (subject.point[name].detach(),), (vector,))[1]  # type: ignore[no-any-return]

    found: list[float] = torch.func.vmap(tangent, randomness="same")(basis).tolist()
    return found
