"""How long several ways take, measured side by side: each round runs all of them, each time in another order.

A machine slows down and speeds up by itself, in spells. Interleaved rounds spread a spell over all ways, and the
spread of the rounds tells how much a difference of medians may be worth.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

from gradcli.compared import Times

LEAST, MOST = 5, 100  # rounds, where their number is not given
SECONDS = 1.5  # that they may take together, beyond the least
WARMING = 1  # rounds that do not count: first calls set things up

clock = perf_counter

Run = Callable[[Callable[[], float]], Sequence[float]]
"""Runs a way once; it reads the clock that it is given, and answers with the seconds of each of its parts."""


def interleaved(ways: Sequence[Run], rounds: int | None) -> list[list[Times]]:
    """For each way the times of its parts. `rounds` of None: as many as are of use."""
    taken: list[list[Sequence[float]]] = [[] for _ in ways]
    began = clock()
    with _uncollected():
        for turn in range(WARMING + (rounds or MOST)):
            if rounds is None and turn >= WARMING + LEAST and clock() - began > SECONDS:
                break
            for place in range(len(ways)):
                index = (place + turn) % len(ways)
                measured = ways[index](clock)
                if turn >= WARMING:
                    taken[index].append(measured)
    return [[times_of(part) for part in zip(*one, strict=True)] for one in taken]


def times_of(seconds: Sequence[float]) -> Times:
    """The median of some measurements, and the range of their middle eight tenths."""
    ordered = sorted(seconds)
    last = len(ordered) - 1
    middle = (ordered[last // 2] + ordered[(last + 1) // 2]) / 2
    return Times(middle, ordered[round(0.1 * last)], ordered[round(0.9 * last)], len(ordered))


@contextmanager
def _uncollected() -> Iterator[None]:
    """A while without the collection of garbage, which would fall on some way by chance."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
