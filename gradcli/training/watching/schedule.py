"""When to look closely: at first always, then as often as a small share of the time elapsed allows."""

from __future__ import annotations

from time import perf_counter

FIRST = 3  # steps with all details
AGAIN = 5  # steps until the next
MEASURED = 30  # steps with norms, whatever they cost
GAP = 61  # steps between details later on: odd, so that branches which alternate are both seen
SHARE = 0.01  # of the time elapsed may go into it


class Schedule:
    """What is due at a step, and what norms between detailed steps have cost so far, in seconds."""

    def __init__(self, every: int | None = None, thorough: bool = False) -> None:
        self.every = 1 if thorough and every is None else every
        self.thorough = thorough
        self._began = perf_counter()
        self._spent = 0.0

    def norms(self, step: int) -> bool:
        """Whether norms are due at a step, counted from 1."""
        if self.every is not None:
            return (step - 1) % self.every == 0
        return step <= MEASURED or self.affordable

    @property
    def affordable(self) -> bool:
        """Whether what may be spent has not been spent yet; always where steps were asked for."""
        return self.every is not None or self._spent < SHARE * (perf_counter() - self._began)

    def after(self, step: int) -> int:
        """The next step with all details."""
        if self.thorough:
            return step + (self.every or 1)
        gap = 1 if step < FIRST else AGAIN if step < FIRST + AGAIN else max(GAP, step // 2 | 1)
        return step + gap if self.every is None else step + -(-gap // self.every) * self.every

    def spend(self, since: float) -> None:
        """Count the time from `since` until now."""
        self._spent += perf_counter() - since
