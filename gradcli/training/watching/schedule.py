"""When to look closely: a few times at the beginning, then as often as a small share of the time elapsed allows."""

from __future__ import annotations

import math
from time import perf_counter

DETAILED = (1, 2, 3)  # the first steps with all details, as many as detectors need
GAP = 61  # steps between details later on: odd, so that branches which alternate are both seen
MEASURED = 5  # steps with norms, whatever they cost
SPREAD = 2  # later on norms are due after half of the steps taken, and after OFTEN steps at the latest
OFTEN = 25
SHARE = 0.01  # of the time elapsed may go into what is done more often than that


class Schedule:
    """What is due at a step, and what looking has cost so far, in seconds."""

    def __init__(self, every: int | None = None, thorough: bool = False) -> None:
        self.every = 1 if thorough and every is None else every
        self.thorough = thorough
        self._began = perf_counter()
        self._spent = 0.0

    def norms(self, step: int, cost: float) -> int:
        """The next step at which norms are due, after this one, whose norms took `cost` seconds; counted from 1."""
        if self.every is not None:
            return step + self.every - (step - 1) % self.every
        if step < MEASURED:
            return step + 1
        most = max(1, min(step // SPREAD, OFTEN))
        allowed = SHARE * (perf_counter() - self._began) / step
        gap = most if self._spent > SHARE * (perf_counter() - self._began) else math.ceil(cost / allowed)
        return step + min(most, gap | 1)

    @property
    def affordable(self) -> bool:
        """Whether what may be spent has not been spent yet; always where steps were asked for."""
        return self.every is not None or self._spent < SHARE * (perf_counter() - self._began)

    def after(self, step: int) -> int:
        """The next step with all details."""
        if self.thorough:
            return step + (self.every or 1)
        due = next((one for one in DETAILED if one > step), 0) or step + max(GAP, step // 2 | 1)
        return due if self.every is None else step + -(-(due - step) // self.every) * self.every

    def spend(self, since: float) -> float:
        """Count the time from `since` until now; how much it is."""
        spent = perf_counter() - since
        self._spent += spent
        return spent
