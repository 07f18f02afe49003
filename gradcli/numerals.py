"""Numbers of a tensor as Python floats whose repr is the shortest decimal that reads back to them in their dtype."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

CHUNK = 65_536

# dtype -> digits that may suffice, to digits that always do; float64's own repr is the shortest already.
_DIGITS = {"float32": (6, 9), "float16": (3, 5), "bfloat16": (2, 4), "complex64": (6, 9), "complex32": (3, 5)}
_FLOAT8 = (1, 4)


def numbers(tensor: torch.Tensor, start: int = 0, stop: int | None = None) -> list[Any]:
    """The elements `start:stop` of a tensor in row-major order, as Python numbers."""
    flat = tensor.detach().reshape(-1)[start:stop].cpu()
    kind = str(flat.dtype).removeprefix("torch.")
    if flat.is_complex():
        real, imaginary = (numbers(part) for part in (flat.real, flat.imag))
        return [complex(a, b) for a, b in zip(real, imaginary, strict=True)]
    if not flat.is_floating_point() or kind == "float64":
        return flat.tolist()
    values: list[float] = flat.float().tolist()
    least, most = _DIGITS.get(kind, _FLOAT8)
    same = _same_float32 if kind == "float32" else _same_as(flat)
    normal = 2.0**-14 if kind == "float16" else 2.0**-126
    return [_shortest(value, least if abs(value) >= normal else 1, most, same) for value in values]


def _shortest(value: float, least: int, most: int, same: Callable[[float, float], bool]) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    for digits in range(least, most):
        decimal = float(f"{value:.{digits}g}")
        if same(decimal, value):
            return decimal
    return float(f"{value:.{most}g}")


def _same_float32(decimal: float, value: float) -> bool:
    try:
        return bool(_FLOAT.unpack(_FLOAT.pack(decimal))[0] == value)
    except OverflowError:
        return False


_FLOAT = struct.Struct("f")


def _same_as(like: torch.Tensor) -> Callable[[float, float], bool]:
    """Whether a decimal reads back to a value in the dtype of `like`."""

    def same(decimal: float, value: float) -> bool:
        return bool(like.new_tensor(0.0).fill_(decimal).float().item() == value)

    return same


def chunks(tensor: torch.Tensor) -> Iterator[list[Any]]:
    """All elements, a chunk at a time, so that memory stays flat."""
    for start in range(0, tensor.numel(), CHUNK):
        yield numbers(tensor, start, start + CHUNK)


def json_number(value: Any) -> Any:
    """A number as strict JSON has it: non-finite ones are strings, complex ones objects."""
    if isinstance(value, complex):
        return {"real": json_number(value.real), "imag": json_number(value.imag)}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


def nested(tensor: torch.Tensor, convert: Callable[[Any], Any] = json_number) -> Any:
    """The elements of a tensor as nested lists of its shape, each converted."""
    flat = [convert(value) for chunk in chunks(tensor) for value in chunk]
    return shaped(flat, tuple(tensor.shape))


def shaped(flat: list[Any], shape: tuple[int, ...]) -> Any:
    """A flat list as nested lists of a shape."""
    if not shape:
        return flat[0]
    for size in reversed(shape[1:]):
        if size == 0:
            return _empty(shape)
        flat = [flat[start : start + size] for start in range(0, len(flat), size)]
    return flat if shape[0] else []


def _empty(shape: tuple[int, ...]) -> Any:
    return [] if not shape or shape[0] == 0 else [_empty(shape[1:]) for _ in range(shape[0])]
