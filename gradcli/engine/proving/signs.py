"""The one cheap look at an answer: whether something is off that is worth proofs."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from gradcli.engine.gradient import Outcome

SMALL = 1024  # elements of an answer whose proofs cost nothing that a user would notice
FEW = 16
TINY = 1e-6


class Signs(NamedTuple):
    """Outputs that are not finite, gradients that are not, inputs whose gradient is (almost) zero, 16-bit numbers."""

    value: bool
    gradient: bool
    zero: tuple[str, ...]
    half: bool

    @property
    def off(self) -> bool:
        return self.value or self.gradient or bool(self.zero) or self.half


def signs(outcome: Outcome) -> Signs:
    """What one look at each output and each gradient tells."""
    value = gradient = half = False
    largest = 0.0
    for one in outcome.results:
        if one.is_floating_point() or one.is_complex():
            most = extent(one)
            value |= not math.isfinite(most)
            largest = max(largest, most)
            half |= one.itemsize == 2 and not one.is_complex()
    zero = []
    for name, view in outcome.inputs.items():
        grad = view.grad
        if grad is None or not grad.numel():
            continue
        most = extent(grad)
        if not math.isfinite(most):
            gradient = True
        elif most == 0 or (most < TINY * largest and most * extent(view.value) < TINY * largest):
            zero.append(name)
        half |= grad.itemsize == 2
    return Signs(value, gradient, tuple(zero), half)


def extent(value: torch.Tensor) -> float:
    """The largest magnitude in a tensor; NaN or infinite where an element is."""
    value = value.detach()
    if value.is_complex():
        value = torch.view_as_real(value.resolve_conj())
    if value.numel() == 1:
        return abs(float(value.item()))
    if value.numel() <= FEW:
        flat = value.reshape(-1).tolist()
        total = sum(flat)
        return float(total) if total - total != 0 else max(map(abs, flat), default=0.0)
    if value.itemsize == 1:
        return 0.0
    least, most = torch.aminmax(value)
    one, other = float(least), float(most)
    return math.nan if math.isnan(one) or math.isnan(other) else max(abs(one), abs(other))


def small(outcome: Outcome) -> bool:
    """Whether an answer is so small that everything may be proved."""
    count = sum(one.value.numel() for one in outcome.inputs.values()) + sum(one.numel() for one in outcome.results)
    return count <= SMALL
