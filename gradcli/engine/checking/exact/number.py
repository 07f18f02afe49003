"""A number of many digits that knows what it was computed from, and the chain rule over such numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

import mpmath as mp

DIGITS = 60

_NEXT = count().__next__


class Unknown(Exception):
    """Something that no row computes, or no number can hold."""


class Number:
    """A value and its sources: the numbers that it was computed from, each with the slope by it.

    A slope of None says that the slopes on both sides differ. Only live numbers are followed: inputs, and what was
    computed from them. There are thousands of these: a plain class is made several times faster than a frozen one.
    """

    __slots__ = ("live", "order", "sources", "value")

    def __init__(self, value: Any, sources: Sequence[tuple[Number, Any]] = (), live: bool = False) -> None:
        self.value = value
        self.sources = [one for one in sources if one[0].live] if sources else ()
        self.live = live or bool(self.sources)
        self.order = _NEXT() if self.live else -1


def gradient(roots: Iterable[tuple[Number, Any]], wanted: Sequence[Number]) -> list[Any]:
    """The derivative of a weighted sum of numbers by each wanted one; None where the path leads over a kink."""
    slopes: dict[int, Any] = {}
    kinked: set[int] = set()
    nodes: dict[int, Number] = {}
    for root, weight in roots:
        if root.live:
            nodes[root.order] = root
            slopes[root.order] = slopes.get(root.order, 0) + weight
    for node in sorted(_reached(nodes), key=lambda one: -one.order):
        slope, broken = slopes.get(node.order, 0), node.order in kinked
        if slope == 0 and not broken:
            continue
        for source, partial in node.sources:
            if broken or partial is None:
                kinked.add(source.order)
            else:
                slopes[source.order] = slopes.get(source.order, 0) + slope * partial
    return [None if one.order in kinked else mp.mpf(slopes.get(one.order, 0)) for one in wanted]


def _reached(nodes: dict[int, Number]) -> list[Number]:
    """These numbers and all that they were computed from."""
    waiting = list(nodes.values())
    while waiting:
        for source, _ in waiting.pop().sources:
            if source.order not in nodes:
                nodes[source.order] = source
                waiting.append(source)
    return list(nodes.values())
