"""A large tensor in one line: shape, range, mean and deviation, and how many elements are not ordinary numbers.

The tensor is looked at in parts and never copied whole: what a part needs beside itself is let go before the next.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

PART = 1 << 20  # elements: they stay in the cache from one pass to the next


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics of the finite elements (population standard deviation), and counts of the others and of zeros."""

    shape: tuple[int, ...]
    least: float | None
    most: float | None
    mean: float | None
    deviation: float | None
    nan: int
    infinite: int
    zero: int


def summarise(tensor: torch.Tensor) -> Summary:
    """The summary of a real tensor; for a complex one, of its absolute values."""
    values, copies = _distinct(tensor.detach())
    finite: _Finite | None = None
    nan = infinite = zero = 0
    for part in _parts(values):
        real = _real(part)
        least, most = map(float, real.aminmax())
        if least <= 0 <= most or math.isnan(least):
            zero += real.numel() - int(real.count_nonzero())
        if not (math.isfinite(least) and math.isfinite(most)):
            every, strange = real.numel(), int(real.isnan().count_nonzero())
            real = real[real.isfinite()]
            nan += strange
            infinite += every - real.numel() - strange
            if real.numel() == 0:
                continue
            least, most = map(float, real.aminmax())
        found = _Finite(real.numel(), least, most, *_moments(real))
        finite = found if finite is None else finite.with_(found)
    counts = (nan * copies, infinite * copies, zero * copies)
    shape = tuple(tensor.shape)
    if finite is None:
        return Summary(shape, None, None, None, None, *counts)
    return Summary(shape, finite.least, finite.most, finite.mean, finite.deviation, *counts)


@dataclass(frozen=True, slots=True)
class _Finite:
    """Statistics of some finite elements."""

    count: int
    least: float
    most: float
    mean: float
    deviation: float

    def with_(self, other: _Finite) -> _Finite:
        """Those of both together (Chan, Golub and LeVeque, 1979)."""
        count = self.count + other.count
        share = other.count / count
        apart = other.mean - self.mean
        within = self.deviation**2 * (1 - share) + other.deviation**2 * share
        return _Finite(
            count, min(self.least, other.least), max(self.most, other.most), self.mean + apart * share,
            math.sqrt(within + apart**2 * share * (1 - share)),
        )  # fmt: skip


def _distinct(values: torch.Tensor) -> tuple[torch.Tensor, int]:
    """The elements that memory holds, and how many copies of them an expanded tensor shows."""
    copies = 1
    for dimension, (size, stride) in enumerate(zip(values.shape, values.stride(), strict=True)):
        if stride == 0 and size > 1:
            values = values.narrow(dimension, 0, 1)
            copies *= size
    return values, copies


def _parts(values: torch.Tensor) -> Iterator[torch.Tensor]:
    """Views that hold every element once, none of more than PART: halves of halves along the longest dimension."""
    if values.numel() > PART:
        for half in values.tensor_split(2, max(range(values.dim()), key=values.size)):
            yield from _parts(half)
    elif values.numel():
        yield values


def _real(part: torch.Tensor) -> torch.Tensor:
    """The same numbers in a dtype that statistics are good in: absolute ones of complex, floating ones of whole."""
    if part.is_complex():
        part = part.abs()
    if part.is_floating_point() and part.itemsize >= 4:
        return part
    return part.double() if part.itemsize == 8 else part.float()


def _moments(real: torch.Tensor) -> tuple[float, float]:
    """Mean and deviation, in float64 where their sums leave the dtype."""
    mean, deviation = float(real.mean()), float(real.std(correction=0))
    if not (math.isfinite(mean) and math.isfinite(deviation)) and real.itemsize < 8:
        return _moments(real.double())
    return mean, deviation
