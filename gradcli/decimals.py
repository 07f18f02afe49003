"""The shortest decimal that reads back to a floating number in its own dtype: 0.1, not 0.10000000149011612.

Few numbers are tried one by one, with more digits until one reads back. For many, torch guesses the digits of all of
them at once, each number is written once, and what does not read back is tried one by one.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

MANY = 256
_MARGIN = 1e-15  # relative; beyond what float64 rounds off in a guess, far below what any narrower dtype tells apart

# dtype -> the digits that may suffice, the digits that always do, the least number that has its full precision.
_DIGITS = {"float32": (6, 9, 2.0**-126), "bfloat16": (2, 4, 2.0**-126), "float16": (3, 5, 2.0**-14)}
_FLOAT8 = (1, 4, 0.0)


def shortest(flat: torch.Tensor) -> list[float]:
    """The decimals of a one-dimensional floating tensor, as Python floats whose repr they are."""
    if flat.itemsize == 8:
        return list(flat.tolist())  # repr is the shortest already
    values = flat.double()
    if flat.numel() < MANY:
        tried = _trial(flat)
        return [tried(value) for value in values.tolist()]
    digits = _guessed(values, flat.dtype)
    decimals = [float(f"{value:.{count}g}") for value, count in zip(values.tolist(), digits, strict=True)]
    wrong = (values.new_tensor(decimals).to(flat.dtype).double() != values).nonzero().flatten().tolist()
    if wrong:
        tried = _trial(flat)
        for index in wrong:
            decimals[index] = tried(float(values[index]))
    return decimals


def _guessed(values: torch.Tensor, dtype: torch.dtype) -> list[int]:
    """How many digits each number needs; now and then too few, for numbers that lie on the edge."""
    least, most, normal = _bounds(dtype)
    magnitude = values.abs()
    exponent = magnitude.log10().floor()
    digits = values.new_full(values.shape, most)
    for count in range(most - 1, least - 1, -1):
        scale = 10.0 ** (count - 1 - exponent)
        decimal = (values * scale).round() / scale
        for edge in (decimal * (1 - _MARGIN), decimal * (1 + _MARGIN)):
            digits.masked_fill_(edge.to(dtype).double() == values, count)
    return list(digits.masked_fill_(magnitude < normal, 1).int().tolist())


def of_one(like: torch.Tensor) -> Callable[[float], float] | None:
    """What makes the shortest decimal of one number of a tensor; None where its repr is that already."""
    if like.itemsize == 8 or not like.is_floating_point():
        return None
    return _float32 if like.itemsize == 4 else _trial(like)


def _float32(value: float) -> float:
    """That of a float32, most of which need few digits."""
    few = float(f"{value:.6g}")
    return few if few == value else _tried_float32(value)


def _trial(like: torch.Tensor) -> Callable[[float], float]:
    """The shortest decimal of one number, by trying."""
    bounds = _bounds(like.dtype)
    return _tried_float32 if bounds[1] == 9 else _trying(bounds, _same_as(like))


def _trying(bounds: tuple[int, int, float], same: Callable[[float, float], bool]) -> Callable[[float], float]:
    least, most, normal = bounds

    def tried(value: float) -> float:
        if value == 0 or not math.isfinite(value):
            return value
        for digits in range(least if abs(value) >= normal else 1, most):
            decimal = float(f"{value:.{digits}g}")
            if same(decimal, value):
                return decimal
        return float(f"{value:.{most}g}")

    return tried


def _bounds(dtype: torch.dtype) -> tuple[int, int, float]:
    return _DIGITS.get(str(dtype).removeprefix("torch."), _FLOAT8)


def _same_float32(decimal: float, value: float) -> bool:
    """Whether a decimal reads back to a value in float32, without a tensor."""
    try:
        return bool(_FLOAT.unpack(_FLOAT.pack(decimal))[0] == value)
    except OverflowError:
        return False


_FLOAT = struct.Struct("f")
_tried_float32 = _trying(_DIGITS["float32"], _same_float32)


def _same_as(like: torch.Tensor) -> Callable[[float, float], bool]:
    """Whether a decimal reads back to a value in the dtype of `like`."""

    def same(decimal: float, value: float) -> bool:
        return bool(like.new_tensor(0.0).fill_(decimal).double().item() == value)

    return same
