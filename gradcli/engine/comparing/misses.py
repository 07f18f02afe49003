"""How far the numbers of one formula lie from those of another, or from the truth, and where they are furthest off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch

from gradcli.engine.comparing.gaps import between
from gradcli.engine.gradient import Outcome

ULPS = 16  # that formulas may lie apart by rounding
COARSE = 1e-3  # relative: what is further off counts, however small it is beside other elements

Outputs = tuple[torch.Tensor, ...]
Grads = dict[str, torch.Tensor | None]


class Numbers(NamedTuple):
    """The outputs of a formula and the gradients by its inputs."""

    outputs: Outputs
    grads: Grads


class Tolerance(NamedTuple):
    """An element is off where it misses by more than `fine` of the largest of its tensor, or by `coarse` of itself."""

    fine: float
    coarse: float


@dataclass(frozen=True, slots=True, eq=False)
class Miss:
    """The element that is furthest off: of an output (`name` is None), or of the gradient by an input.

    `index` counts in row-major order; `count` elements of the tensor are off.
    """

    name: str | None
    output: int
    shape: tuple[int, ...]
    index: int
    got: complex | None
    want: complex
    gap: float
    count: int


def numbers_of(outcome: Outcome) -> Numbers:
    """The outputs of an evaluation, and the gradients of its inputs."""
    grads = {name: one.grad for name, one in outcome.inputs.items() if one.origin != "constant"}
    return Numbers(tuple(one.value for one in outcome.outputs), grads)


def tolerance_for(outputs: Outputs, asked: float | None) -> Tolerance:
    """The tolerance that was asked for, of each element; else what rounding in the narrowest floating output may do."""
    if asked is not None:
        return Tolerance(asked, asked)
    floating = [one.dtype for one in outputs if one.is_floating_point() or one.is_complex()]
    fine = ULPS * max((torch.finfo(dtype).eps for dtype in floating), default=2.0**-52)
    return Tolerance(fine, max(COARSE, fine))


def miss_of(have: Numbers, want: Numbers, within: Tolerance) -> Miss | None:
    """The element that is furthest off, of the outputs or, where they are all right, of the gradients."""
    for place, (got, true) in enumerate(zip(have.outputs, want.outputs, strict=True)):
        if (found := _off(None, place, got, true, within)) is not None:
            return found
    names = dict.fromkeys((*want.grads, *have.grads))
    misses = [_off(name, 0, have.grads.get(name), want.grads.get(name), within) for name in names]
    return max((one for one in misses if one is not None), key=lambda one: one.gap, default=None)


def _off(
    name: str | None, place: int, got: torch.Tensor | None, want: torch.Tensor | None, within: Tolerance
) -> Miss | None:
    """How far a tensor is off. One that is not there counts as zeros, which it is to whoever adds it up."""
    shape = next((tuple(one.shape) for one in (want, got) if one is not None), None)
    if shape is None:
        return None
    have, true = (torch.zeros(shape) if one is None else one.detach() for one in (got, want))
    if have.is_complex() or true.is_complex():
        have, true = have.to(torch.complex128), true.to(torch.complex128)
    gap, absolute, largest = between(have, true)
    off = (gap > within.coarse) | ((gap > within.fine) & ~(absolute <= within.fine * largest))
    if not bool(off.any()):
        return None
    index = int(torch.where(off, gap, -1.0).argmax())
    values = [None if one is None else full.reshape(-1)[index].item() for one, full in ((got, have), (want, true))]
    wanted = values[1] if values[1] is not None else 0.0
    return Miss(name, place, shape, index, values[0], wanted, float(gap[index]), int(off.sum()))


def filled(numbers: Numbers, other: Numbers) -> Numbers:
    """Numbers with those of another formula where they are NaN or missing, which stands for not known."""

    def fill(one: torch.Tensor | None, two: torch.Tensor | None) -> torch.Tensor | None:
        if one is None or two is None or one.is_complex() or two.is_complex():
            return one
        return torch.where(one.isnan(), two.to(one.dtype), one)

    outputs = tuple(fill(a, b) for a, b in zip(numbers.outputs, other.outputs, strict=True))
    grads = {name: fill(one, other.grads.get(name)) for name, one in numbers.grads.items()}
    return Numbers(tuple(one for one in outputs if one is not None), {**other.grads, **grads})
