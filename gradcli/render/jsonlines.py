"""One strict JSON object: non-finite numbers are strings, and tensors are written a chunk at a time."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from gradcli import numerals
from gradcli.render import Style
from gradcli.report import is_tensor

FEW = 64  # numbers of a tensor that are written at once


def pieces(result: Any, style: Style) -> Iterator[str]:
    """The JSON object of a result on one line."""
    return written(result.document(), style.precision)


def written(document: dict[str, Any], precision: int | None = None) -> Iterator[str]:
    """An object, with tensors where their numbers stand, on one line."""
    whole = _whole(document) if precision is None else None
    if whole is not None:
        yield f"{whole}\n"
        return
    yield from _value(document, precision)
    yield "\n"


def _whole(document: dict[str, Any]) -> str | None:
    """A small object in one go; None where it holds a large tensor, or a number that JSON has no word for."""
    try:
        return _ENCODER.encode(document)
    except (ValueError, _Large):
        return None


class _Large(Exception):
    """A tensor is to be written in pieces."""


def _numbers(value: Any) -> Any:
    if not is_tensor(value):
        return numerals.json_number(value)
    if value.numel() > FEW:
        raise _Large
    return numerals.nested(value)


_ENCODER = json.JSONEncoder(allow_nan=False, default=_numbers)


def _value(value: Any, precision: int | None) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _joined("{", ((f"{json.dumps(str(key))}: ", one) for key, one in value.items()), "}", precision)
    elif isinstance(value, (list, tuple)):
        yield from _joined("[", (("", one) for one in value), "]", precision)
    elif is_tensor(value):
        yield from tensor_json(value, precision)
    else:
        yield scalar(value, precision)


def _joined(opening: str, parts: Iterator[tuple[str, Any]], closing: str, precision: int | None) -> Iterator[str]:
    yield opening
    for index, (key, one) in enumerate(parts):
        yield f", {key}" if index else key
        yield from _value(one, precision)
    yield closing


def scalar(value: Any, precision: int | None = None) -> str:
    """A number, string, boolean or None as strict JSON."""
    if isinstance(value, float) and math.isfinite(value):
        return repr(value if precision is None else float(f"{value:.{precision}g}"))
    return json.dumps(numerals.json_number(value), allow_nan=False)


def tensor_json(tensor: Any, precision: int | None) -> Iterator[str]:
    """Nested lists, their brackets set between chunks of numbers."""
    shape = tuple(tensor.shape)
    if tensor.numel() == 0:
        yield json.dumps(numerals.nested(tensor))
        return
    sizes = []
    block = 1
    for size in reversed(shape):
        block *= size
        sizes.append(block)
    row = shape[-1] if shape else 1
    position = 0
    for chunk in numerals.chunks(tensor):
        texts = [scalar(value, precision) for value in chunk]
        parts = []
        start = 0
        while start < len(texts):
            stop = start + row - position % row
            opening = "[" * sum(position % size == 0 for size in sizes)
            parts.append((", " if position else "") + opening + ", ".join(texts[start:stop]))
            position += len(texts[start:stop])
            start = stop
            parts.append("]" * sum(position % size == 0 for size in sizes))
        yield "".join(parts)
