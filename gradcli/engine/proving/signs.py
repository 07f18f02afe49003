"""The one cheap look at an answer: whether something is off that is worth proofs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import torch

from gradcli.engine.gradient import Outcome

SMALL = 1024  # elements of an answer whose proofs cost nothing that a user would notice
TINY = 1e-6
MOSTLY, LEAST = 0.9, 10  # the share of elements without a gradient that is worth a word, and of how many
LARGEST = 100_000  # elements of a gradient that is looked at for them, where a command line asks; else SMALL
_WIDE = frozenset({torch.float32, torch.float64})
FEW = 16  # elements that are asked first
ROOM = 1000.0  # times the largest of a few elements: what none of many is taken to be beyond
MANY = 1 << 16  # elements of which a dot product is the sooner norm


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

    Their 2-norm is a cheap look: it is not finite where an element is not, or where elements are so large that a closer
    look is worth it, and it is no smaller than the largest of them.
    """
    value = gradient = half = False
    largest = 0.0
    for one in outcome.results:
        if one.is_floating_point() or one.is_complex():
            size = size_of(one, outcome.began)
            largest = max(largest, size)
            value |= size - size != 0 and not math.isfinite(extent(one))
            half |= one.itemsize == 2 and not one.is_complex()
    zero, partly = [], []
    most_looked = SMALL if outcome.request.verify is False else LARGEST
    for name, view in outcome.inputs.items():
        grad = view.grad
        if grad is None:
            continue
        half |= grad.itemsize == 2
        if not apparent(grad, largest):
            if not math.isfinite(extent(grad)):
                gradient = True
                continue
            if grad.numel() and _vanishes(view.value, grad, outcome.results):
                zero.append(name)
                continue
        if LEAST <= grad.numel() <= most_looked and not grad.is_complex() and mostly_zero(grad):
            partly.append(name)
    if outcome.derived or outcome.bent:
        return _with_derived(outcome, Signs(value, gradient, tuple(zero), half, tuple(partly)))
    return Signs(value, gradient, tuple(zero), half, tuple(partly))


def _with_derived(outcome: Outcome, found: Signs) -> Signs:
    """The same, and what derivatives that were asked for instead of .grad tell."""
    gradient, zeros = found.gradient, dict[str, bool]()
    for name, one in outcome.derived:
        most = extent(one)
        gradient |= not math.isfinite(most)
        zeros[name] = zeros.get(name, True) and most == 0 and bool(one.numel())
    zero = (*found.zero, *[name for name, still in zeros.items() if name and still])
    bent = any(not math.isfinite(extent(one)) for _, _, one in outcome.bent)
    return found._replace(gradient=gradient, zero=zero, bent=bent)


def mostly_zero(grad: torch.Tensor) -> bool:
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


def _vanishes(value: torch.Tensor, grad: torch.Tensor, results: Iterable[torch.Tensor]) -> bool:
    """Whether a gradient is 0, or changes the answer by next to nothing over the size of its input."""
    most = extent(grad)
    if most == 0:
        return True
    largest = max((extent(one) for one in results if one.is_floating_point() or one.is_complex()), default=0.0)
    return most < TINY * largest and most * extent(value) < TINY * largest


def apparent(grad: torch.Tensor, largest: float) -> bool:
    """Whether a gradient is plainly finite, and not (almost) 0 beside a value of this size.

    Its largest element is no smaller than its mean, which mostly is enough, and costs less than its norm: most answers
    have just taken a sum.
    """
    count = grad.numel()
    if grad.dtype in _WIDE:
        total = grad.item() if count == 1 else grad.sum().item()
        if total - total == 0 and abs(total) > TINY * largest * count:
            return True
    size = norm(grad)
    return size - size == 0 and size > TINY * largest * math.sqrt(count)


def size_of(value: torch.Tensor, total: torch.Tensor | None) -> float:
    """What no element of an output is larger than: its 2-norm; not finite where one is not.

    Of many elements whose sum was taken, which tells that all are finite, a few speak for all, with room to spare.
    """
    count = value.numel()
    if count < MANY or total is None or value.dtype not in _WIDE or not value.is_contiguous():
        return norm(value)
    number, flat = total.item(), value.detach()
    few = (flat if flat.dim() == 1 else flat.view(-1))[:: count // FEW].tolist()
    size = ROOM * max(map(abs, few))
    return size if number - number == 0 < size else norm(value)


def norm(value: torch.Tensor) -> float:
    """The 2-norm of all elements; NaN or infinite where one is, and where their squares are too large."""
    if value.dtype in _WIDE and (count := value.numel()):
        if count == 1:
            return abs(value.item())
        if count < MANY:
            return float(torch.linalg.vector_norm(value.detach()).item())
        if value.is_contiguous() and not value._is_zerotensor():
            flat = value.detach().view(-1)
            return math.sqrt(flat.dot(flat))  # in half the time, but it wakes threads
    numbers = _numbers(value)
    return 0.0 if numbers is None else float(torch.linalg.vector_norm(numbers))


def extent(value: torch.Tensor) -> float:
    """The largest magnitude in a tensor; NaN or infinite where an element is."""
    if value.numel() == 1 and not value.is_complex() and value.itemsize > 1:
        return abs(float(value.item()))
    numbers = _numbers(value)
    if numbers is None:
        return 0.0
    least, most = torch.aminmax(numbers)
    one, other = float(least), float(most)
    return math.nan if math.isnan(one) or math.isnan(other) else max(abs(one), abs(other))


def _numbers(value: torch.Tensor) -> torch.Tensor | None:
    """The real numbers in a tensor; None where it has none that need a look, or torch does not compute with them."""
    value = value.detach()
    if value.is_complex():
        value = torch.view_as_real(value.resolve_conj())
    return None if value._is_zerotensor() or value.itemsize == 1 or not value.numel() else value


def small(outcome: Outcome) -> bool:
    """Whether an answer is so small that everything may be proved."""
    count = sum(one.value.numel() for one in outcome.inputs.values()) + sum(one.numel() for one in outcome.results)
    return count <= SMALL
