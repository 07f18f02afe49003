"""A number of many digits that knows what it was computed from, and the chain rule over such numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

import mpmath as mp

# Digits to compute with, and the decimal place of a difference's step: where few do not tell, more are taken.
LEVELS = ((60, 20), (130, 43), (500, 150))

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


def gradient(roots: Iterable[tuple[Number, Any]], wanted: Sequence[Number]) -> tuple[list[Any], bool]:
    """The derivative of a weighted sum of numbers by each wanted one, and whether every digit of it counts.

    None where the path leads over a kink. What is left after paths cancel to the last digits is 0, and then the second
    answer is False: more digits may leave more.
    """
    slopes: dict[int, Any] = {}
    sizes: dict[int, Any] = {}
    kinked: set[int] = set()
    nodes: dict[int, Number] = {}
    for root, weight in roots:
        if root.live:
            nodes[root.order] = root
            slopes[root.order] = slopes.get(root.order, 0) + weight
            sizes[root.order] = sizes.get(root.order, 0) + abs(weight)
    for node in sorted(_reached(nodes), key=lambda one: -one.order):
        slope, size, broken = slopes.get(node.order, 0), sizes.get(node.order, 0), node.order in kinked
        for source, partial in node.sources if size or broken else ():
            if partial is None:
                kinked.update((source.order,) if slope or broken else ())
                continue
            if broken:
                kinked.add(source.order)
            slopes[source.order] = slopes.get(source.order, 0) + slope * partial
            sizes[source.order] = sizes.get(source.order, 0) + size * abs(partial)
    least = mp.mpf(10) ** -int(0.55 * mp.mp.dps)
    lost = {order for order, slope in slopes.items() if abs(slope) <= least * sizes[order] and sizes[order]}
    found = [mp.mpf(0) if one.order in lost else mp.mpf(slopes.get(one.order, 0)) for one in wanted]
    answers = [None if one.order in kinked else slope for one, slope in zip(wanted, found, strict=True)]
    return answers, not any(one.order in lost for one in wanted)


def _reached(nodes: dict[int, Number]) -> list[Number]:
    """These numbers and all that they were computed from."""
    waiting = list(nodes.values())
    while waiting:
        for source, _ in waiting.pop().sources:
            if source.order not in nodes:
                nodes[source.order] = source
                waiting.append(source)
    return list(nodes.values())
