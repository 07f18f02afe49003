"""One strict JSON object: non-finite numbers are strings, and tensors are written a chunk at a time."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from gradcli import numerals
from gradcli.render import Style
from gradcli.report import is_tensor


def pieces(result: Any, style: Style) -> Iterator[str]:
    """The JSON object of a result on one line."""
    yield from _value(result.document(), style.precision)
    yield "\n"


def _value(value: Any, precision: int | None) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _joined("{", ((f"{json.dumps(str(key))}: ", one) for key, one in value.items()), "}", precision)
    elif isinstance(value, (list, tuple)):
        yield from _joined("[", (("", one) for one in value), "]", precision)
    elif is_tensor(value):
        yield from _tensor(value, precision)
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


def scalar_document(document: dict[str, Any]) -> str:
    """A small object without tensors, such as an error, as strict JSON on one line."""
    return "".join(_value(document, None))


def _tensor(tensor: Any, precision: int | None) -> Iterator[str]:
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
