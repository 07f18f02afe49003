"""A range of values as it is written: `start:stop:count`, evenly spaced, or `log:start:stop:count`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NoReturn

from gradcli.errors import GradcliError, Span

HINT = "write start:stop:count, such as -5:5:101, or log:1e-3:1e3:61"


@dataclass(frozen=True, slots=True)
class Range:
    """`count` points from `start` to `stop`, both included; evenly spaced, or their logarithms are."""

    start: float
    stop: float
    count: int
    log: bool = False


def is_range(text: str) -> bool:
    """Whether a text has a colon that belongs to no call, list or file."""
    return not text.lstrip().startswith(("@", "[", "(")) and ":" in text and len(_parts(text)) > 1


def read_range(text: str, what: str) -> Range:
    """The range that a text means.

    >>> read_range("-5:5:101", "the value of A")
    Range(start=-5.0, stop=5.0, count=101, log=False)

    Raises GradcliError of kind value, with its span in `text`.
    """
    parts = _parts(text)
    log = text[parts[0].start : parts[0].end].strip() == "log"
    bounds = parts[1:] if log else parts
    if len(bounds) != 3:
        given = f"{len(bounds)} part{'' if len(bounds) == 1 else 's'}{' after log' if log else ''}"
        _refuse(f"a range has three parts, start, stop and count, and this has {given}", text, what, None, HINT)
    start, stop = (_bound(text, part, what) for part in bounds[:2])
    count = _count(text, bounds[2], what)
    if log:
        for value, part in ((start, bounds[0]), (stop, bounds[1])):
            if value <= 0:
                hint = "without log: the points are evenly spaced"
                _refuse(f"a logarithmic range is of positive numbers, not {value!r}", text, what, part, hint)
    if start == stop:
        _refuse(f"a range goes from one number to another, and this stays at {start!r}", text, what, bounds[1], HINT)
    if not math.isfinite(stop - start):
        _refuse("the range is wider than the largest number", text, what, None, HINT)
    return Range(start, stop, count, log)


def _parts(text: str) -> list[Span]:
    """The pieces between the colons that stand in no brackets."""
    depth, start, found = 0, 0, []
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == ":" and not depth:
            found.append(Span(start, place))
            start = place + 1
    return [*found, Span(start, len(text))]


def _bound(text: str, part: Span, what: str) -> float:
    from gradcli.language.values import read_value

    written = text[part.start : part.end]
    try:
        value = read_value(written) if written.strip() else None
    except GradcliError:
        value = None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        _refuse(f"'{written.strip()}' is not a number that a range can begin or end with", text, what, part, HINT)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        _refuse(f"a range is of finite numbers, not {written.strip()}", text, what, part, HINT)
    return number


def _count(text: str, part: Span, what: str) -> int:
    written = text[part.start : part.end].strip().replace("_", "")
    if not (written.isascii() and written.isdigit()) or len(written) > 400:
        _refuse(f"a range has a whole number of points, not '{written[:40]}'", text, what, part, HINT)
    if int(written) < 2:
        hint = "one point is what gradcli grad is for"
        _refuse(f"a range has two points or more, not {int(written)}", text, what, part, hint)
    return int(written)


def _refuse(message: str, text: str, what: str, part: Span | None, hint: str) -> NoReturn:
    span = Span(0, len(text))
    if part is not None:
        written = text[part.start : part.end]
        start = part.start + len(written) - len(written.lstrip())
        span = Span(start, max(start + len(written.strip()), start + 1))
    raise GradcliError("value", message, source=text, span=span, hint=hint, what=what)
