"""The one cheap look at an answer: whether something is off that is worth proofs."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from gradcli.engine.gradient import Outcome

SMALL = 1024  # elements of an answer whose proofs cost nothing that a user would notice
TINY = 1e-6
MOSTLY, LEAST = 0.9, 10  # the share of elements without a gradient that is worth a word, and of how many
LARGEST = 100_000  # elements of a gradient that is looked at for them, where a command line asks; else SMALL
FEW = 16  # elements that are asked first
CHUNK = 32_768  # elements: torch adds up so many without waking its other threads, which may be busy
MANY = 1 << 22  # elements from which all threads together are faster all the same


class Signs(NamedTuple):
    """Outputs that are not finite, gradients that are not, inputs whose gradient is (almost) zero, 16-bit numbers."""

    value: bool
    gradient: bool
    zero: tuple[str, ...]
    half: bool
    partly: tuple[str, ...] = ()
    """Inputs whose gradient is (almost) zero for nearly all elements, of enough to speak of, and not for all."""
    bent: bool = False
    """Whether a derivative of a higher order is not finite."""

    @property
    def off(self) -> bool:
        return self.value or self.gradient or bool(self.zero) or self.half or bool(self.partly) or self.bent


def signs(outcome: Outcome) -> Signs:
    """What one look at each output and each gradient tells.

    A sum is the cheapest look: it is not finite where an element is not, and of no use only where it is small itself.
    """
    value = gradient = half = False
    totals = []
    for one in outcome.results:
        if one.is_floating_point() or one.is_complex():
            total = _total(one)
            value |= total - total != 0 and not math.isfinite(extent(one))
            totals.append((one, total))
            half |= one.itemsize == 2 and not one.is_complex()
    zero, partly = [], []
    most_looked = SMALL if outcome.request.verify is False else LARGEST
    for name, view in outcome.inputs.items():
        grad = view.grad
        if grad is None:
            continue
        half |= grad.itemsize == 2
        total, count = _total(grad), grad.numel()
        if total - total != 0 and not math.isfinite(extent(grad)):
            gradient = True
        elif count and abs(total) < count * TINY * (1 + _bound(totals)) and _vanishes(view.value, grad, totals):
            zero.append(name)
        elif LEAST <= count <= most_looked and not grad.is_complex() and _mostly_zero(grad):
            partly.append(name)
    zeros: dict[str, bool] = {}
    for name, one in outcome.derived:
        most = extent(one)
        gradient |= not math.isfinite(most)
        zeros[name] = zeros.get(name, True) and most == 0 and bool(one.numel())
    zero += [name for name, still in zeros.items() if name and still]
    bent = any(not math.isfinite(extent(one)) for _, _, one in outcome.bent)
    return Signs(value, gradient, tuple(zero), half, tuple(partly), bent)


def _mostly_zero(grad: torch.Tensor) -> bool:
    """Whether a gradient is (almost) 0 for nearly all elements, and not for all: of many, a thousand speak for them.

    A few are asked first, for most gradients have no zeros.
    """
    flat = grad.detach().reshape(-1)
    few = list(map(abs, flat[:: max(len(flat) // FEW, 1)].tolist()))
    least = TINY * max(few)
    if len([one for one in few if one <= least]) < MOSTLY * 0.7 * len(few):
        return False
    size = flat[:: max(len(flat) // SMALL, 1)].abs()
    count = int(torch.count_nonzero(size > TINY * size.max()))
    return 0 < count <= (1 - MOSTLY) * len(size)


def _bound(totals: list[tuple[torch.Tensor, float]]) -> float:
    """A number that the largest output is likely to stay below; a wrong guess costs a closer look, or none."""
    return max((abs(total) for _, total in totals), default=0.0)


def _vanishes(value: torch.Tensor, grad: torch.Tensor, totals: list[tuple[torch.Tensor, float]]) -> bool:
    """Whether a gradient is 0, or changes the answer by next to nothing over the size of its input."""
    most = extent(grad)
    if most == 0:
        return True
    largest = max((extent(one) for one, _ in totals), default=0.0)
    return most < TINY * largest and most * extent(value) < TINY * largest


def _total(value: torch.Tensor) -> float:
    """The sum of all elements, however large; of complex ones, of both parts."""
    if value.numel() == 1 and not value.is_complex():
        return float(value.item())
    if value.itemsize == 1 or not value.numel():
        return 0.0
    value = value.detach()
    if value.dtype == torch.complex32:
        value = torch.view_as_real(value)
    if CHUNK < value.numel() < MANY and value.is_contiguous() and torch.get_num_threads() > 1:
        flat = value.view(-1)
        total = sum(flat[start : start + CHUNK].sum().item() for start in range(0, flat.numel(), CHUNK))
    else:
        total = value.sum().item()
    return total.real + total.imag if isinstance(total, complex) else total


def extent(value: torch.Tensor) -> float:
    """The largest magnitude in a tensor; NaN or infinite where an element is."""
    value = value.detach()
    if value.is_complex():
        value = torch.view_as_real(value.resolve_conj())
    if value._is_zerotensor():
        return 0.0
    if value.itemsize == 1 or not value.numel():
        return 0.0
    if value.numel() == 1:
        return abs(float(value.item()))
    least, most = torch.aminmax(value)
    one, other = float(least), float(most)
    return math.nan if math.isnan(one) or math.isnan(other) else max(abs(one), abs(other))


def small(outcome: Outcome) -> bool:
    """Whether an answer is so small that everything may be proved."""
    count = sum(one.value.numel() for one in outcome.inputs.values()) + sum(one.numel() for one in outcome.results)
    return count <= SMALL
