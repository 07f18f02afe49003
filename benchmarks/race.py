"""Two things timed in turn, round after round, so that whatever else the machine does falls on both alike.

The ratio is the median of the ratios of the rounds, and its spread their quartiles: a round that something disturbed
moves neither.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: what was measured against what, a pair of amounts a round, and the bound of their ratio.

    Amounts are seconds, or bytes where `unit` is "B". A bound of None: for information.
    """

    what: str
    against: str
    pairs: tuple[tuple[float, float], ...]
    bound: float | None = None
    unit: str = "s"

    @property
    def ours(self) -> float:
        return median(one for one, _ in self.pairs)

    @property
    def baseline(self) -> float:
        return median(other for _, other in self.pairs)

    @property
    def ratio(self) -> float:
        return median(self._ratios())

    @property
    def spread(self) -> tuple[float, float]:
        """The quartiles of the ratios."""
        ratios = self._ratios()
        low, _, high = quantiles(ratios, method="inclusive") if len(ratios) > 1 else ratios * 3
        return low, high

    @property
    def holds(self) -> bool | None:
        return None if self.bound is None else self.ratio <= self.bound

    def _ratios(self) -> list[float]:
        return [one / other for one, other in self.pairs]


WARM = 5  # calls of each before the first round, which load and remember what later ones find; none of one long call

AGAIN = (
    8  # the share of a round that is run before it: what was collected goes through all memory, and cools the caches
)

Work = Callable[[], object]


def race(ours: Work, baseline: Work, rounds: int, seconds: float = 0.02) -> tuple[tuple[float, float], ...]:
    """Seconds of one call of each, a pair for each round; a round repeats each for about `seconds`."""
    for work in (ours, baseline) if seconds else ():
        _timed(work, WARM)
    counts = [max(1, int(seconds / _timed(work, 3))) for work in (ours, baseline)]
    pairs = []
    for index in range(rounds):
        gc.collect()
        for work, count in zip((ours, baseline), counts, strict=True):
            _timed(work, count // AGAIN)
        if index % 2:
            other = _timed(baseline, counts[1])
            pairs.append((_timed(ours, counts[0]), other))
        else:
            pairs.append((_timed(ours, counts[0]), _timed(baseline, counts[1])))
    return tuple(pairs)


def _timed(work: Work, count: int) -> float:
    """Seconds of one call, from `count` of them."""
    begin = perf_counter()
    for _ in range(count):
        work()
    return (perf_counter() - begin) / max(count, 1)
