"""One cell as text: numbers at the wished precision, small tensors as nested lists, large ones in one line."""

from __future__ import annotations

import math
from typing import Any

from gradcli import numerals
from gradcli.report import is_tensor
from gradcli.summary import Summary, summarise

SMALL = 32  # a table shows tensors of up to so many elements whole
SUMMARY_DIGITS = 4


def number(value: Any, precision: int | None = None) -> str:
    """A number as Python writes it, or at `precision` significant digits; `nan`, `inf`."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, complex):
        imaginary = number(abs(value.imag) if math.isfinite(value.imag) else value.imag, precision)
        sign = "-" if math.copysign(1, value.imag) < 0 and not math.isnan(value.imag) else "+"
        return f"{number(value.real, precision)}{sign}{imaginary.lstrip('-')}j"
    if isinstance(value, int) or precision is None or not math.isfinite(value):
        return repr(value)
    text = f"{value:.{precision}g}"
    return text if any(c in text for c in ".en") else f"{text}.0"


def tensor(value: Any, precision: int | None = None, limit: int | None = None) -> str:
    """A tensor: a number, a nested list, or beyond `limit` elements its summary."""
    if limit is not None and value.numel() > limit:
        return summary_line(value, precision)
    return _list(numerals.nested(value, lambda one: number(one, precision)))


def tensor_lines(value: Any, precision: int | None = None, limit: int | None = None) -> tuple[str, ...]:
    """A tensor for a table: a matrix has one line for each row, as torch prints it."""
    if value.dim() < 2 or value.numel() == 0 or (limit is not None and value.numel() > limit):
        return (tensor(value, precision, limit),)
    text = tensor(value, precision)
    depth = value.dim()
    for level in range(depth - 1, 0, -1):
        text = text.replace(f"{']' * level}, {'[' * level}", f"{']' * level},\n{' ' * (depth - level)}{'[' * level}")
    return tuple(text.split("\n"))


def _each(nested: Any, precision: int | None) -> Any:
    return [_each(one, precision) for one in nested] if isinstance(nested, list) else number(nested, precision)


def _list(nested: Any) -> str:
    return nested if isinstance(nested, str) else f"[{', '.join(map(_list, nested))}]"


def summary_line(value: Any, precision: int | None = None) -> str:
    """(3×4) -1.2 … 3.4, mean 0.1 ± 0.9, 2 NaN, 1 inf, 5 zero."""
    return summary_text(summarise(value), precision)


def summary_text(found: Summary, precision: int | None = None) -> str:
    """A summary in one line."""
    digits = precision or SUMMARY_DIGITS
    parts = [f"({'×'.join(map(str, found.shape))})"]
    if found.least is not None:
        parts.append(f"{number(found.least, digits)} … {number(found.most, digits)},")
        parts.append(f"mean {number(found.mean, digits)} ± {number(found.deviation, digits)}")
    counts = [
        f"{count:,} {name}"
        for count, name in ((found.nan, "NaN"), (found.infinite, "inf"), (found.zero, "zero"))
        if count
    ]
    text = " ".join(parts).rstrip(",")
    return ", ".join([text, *counts])


def text(cell: Any, precision: int | None = None, limit: int | None = None) -> str:
    """Any cell as text."""
    if is_tensor(cell):
        return tensor(cell, precision, limit)
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Summary):
        return summary_text(cell, precision)
    if isinstance(cell, list):
        return _list(_each(cell, precision))
    return number(cell, precision)
