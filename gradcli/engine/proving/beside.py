"""A second evaluation beside the first, a step at a time: what the steps have elsewhere, or have as they were.

The first one opens and closes the blocks of grad modes for both. Neither keeps a value beyond its last use.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from gradcli.engine.evaluate import value_of
from gradcli.engine.gradient import Outcome
from gradcli.engine.memory import Room
from gradcli.engine.proving.again import leaves_of
from gradcli.engine.recording import seeded
from gradcli.engine.seeding import seed
from gradcli.engine.widening import in_float64
from gradcli.language.program import Call, Seed, references


class Beside:
    """Called with each index in order; `value` is then what that step has here."""

    def __init__(self, outcome: Outcome, wide: bool = False) -> None:
        self.request = in_float64(outcome.request) if wide else outcome.request
        self.program = self.request.program
        with seeded(self.request):
            self.leaves = leaves_of(outcome, wide)
            self._state = torch.get_rng_state() if self.program.random else None
        self._values: list[Any] = [None] * len(self.program.steps)
        self._room = Room(self.request.settings.memory)
        self._next = 0
        self.value: Any = None

    def __call__(self, index: int) -> Any:
        for done in self.program.frees[self._next - 1] if self._next else ():
            self._values[done] = None
        step = self.program.steps[index]
        with self._drawing(index):
            value = value_of(self.program, index, self._values, self.leaves, self.request.settings, self._room)
        self._values[index] = value
        stored = isinstance(step, Call) and step.style == "store"
        self.value = self._values[references(step.args[0])[0]] if stored else value  # type: ignore[union-attr]
        self._next = index + 1
        return self.value

    @contextmanager
    def _drawing(self, index: int) -> Iterator[None]:
        """The random numbers of this evaluation, which the other one does not use up."""
        if self._state is None:
            yield
            return
        with torch.random.fork_rng(devices=[]):
            torch.set_rng_state(self._state)
            for step in self.program.steps[self._next : index]:
                if isinstance(step, Seed):
                    seed(step.number)
            yield
            self._state = torch.get_rng_state()
