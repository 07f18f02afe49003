"""Numbers of a tensor as Python numbers: shortest decimals, a chunk at a time, as nested lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from gradcli.decimals import MANY, of_one, shortest

if TYPE_CHECKING:
    import torch

CHUNK = 32_768  # elements: torch works on so many without waking its other threads


def numbers(tensor: torch.Tensor, start: int = 0, stop: int | None = None) -> list[Any]:
    """The elements `start:stop` of a tensor in row-major order; the repr of a float is its shortest decimal."""
    flat = tensor.detach().reshape(-1)[start:stop].cpu()
    if flat.is_complex():
        real, imaginary = (shortest(part) for part in (flat.real, flat.imag))
        return [complex(a, b) for a, b in zip(real, imaginary, strict=True)]
    return shortest(flat) if flat.is_floating_point() else flat.tolist()


def chunks(tensor: torch.Tensor) -> Iterator[list[Any]]:
    """All elements in row-major order, a chunk at a time, so that memory stays flat."""
    if tensor.numel() <= CHUNK:
        if tensor.numel():
            yield numbers(tensor)
    elif len(tensor) == 1:
        yield from chunks(tensor[0])
    else:
        rows = max(CHUNK * len(tensor) // tensor.numel(), 1)
        for start in range(0, len(tensor), rows):
            yield from chunks(tensor[start : start + rows])


def json_number(value: Any) -> Any:
    """A number as strict JSON has it: non-finite ones are strings, complex ones objects."""
    if isinstance(value, complex):
        return {"real": json_number(value.real), "imag": json_number(value.imag)}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


def read_number(value: Any) -> Any:
    """A number of strict JSON as Python's: the inverse of json_number."""
    if isinstance(value, dict):
        return complex(read_number(value["real"]), read_number(value["imag"]))
    return float(value) if isinstance(value, str) else value


def nested(tensor: torch.Tensor, convert: Callable[[Any], Any] = json_number) -> Any:
    """The elements of a tensor as nested lists of its shape, each converted."""
    if tensor.is_complex() or tensor.itemsize == 1 or tensor.numel() >= MANY:
        flat = [convert(value) for chunk in chunks(tensor) for value in chunk]
        return shaped(flat, tuple(tensor.shape))
    decimal = of_one(tensor)
    data = tensor.tolist()
    if not isinstance(data, list):
        return convert(data if decimal is None else decimal(data))
    each = convert if decimal is None else lambda value: convert(decimal(value))
    return _each(data, each)


def _each(data: Any, convert: Callable[[Any], Any]) -> Any:
    """Nested lists with each number converted."""
    return [_each(one, convert) for one in data] if isinstance(data, list) else convert(data)


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


def bytes_text(count: float) -> str:
    """Bytes as people read them: 1.5 GB."""
    if count == 1:
        return "1 byte"
    for unit in ("bytes", "KB", "MB", "GB", "TB", "PB"):
        if count < 1024 or unit == "PB":
            return f"{count:.0f} {unit}" if count >= 100 or unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1024
    raise AssertionError
