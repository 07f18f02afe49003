"""The search for the place where a NaN was born: what is kept for it while all is well, and when it is made."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from gradcli.training.watching.birth import Birth
from gradcli.training.watching.forward import forward
from gradcli.training.watching.graph import Walk, search
from gradcli.training.watching.lines import Lines
from gradcli.training.watching.schedule import Schedule
from gradcli.training.watching.singular import Suspect, backward, singular, suspects

TRIES = 3  # times that a birth is searched
ALWAYS = 200  # passes that are prepared for whatever it costs


class _Kept(threading.local):
    """The singular operations of the step that is under way in a thread."""

    suspects: Sequence[Suspect] = ()


class Births:
    """What was found, and the tensors of this step's singular operations."""

    def __init__(self, lines: Lines, schedule: Schedule) -> None:
        self.found: list[Birth] = []
        self.unpacking = False  # saved tensors are packed by hooks: unpacking them would run the script's own code
        self._lines, self._schedule = lines, schedule
        self._here = _Kept()
        self.singular = False
        self._tries = 0
        self._kept = 0

    def keep(self, outputs: Any, walk: Walk | None) -> None:
        """Before backward: keep what singular operations saved, where the graphs of this training have any."""
        if self.unpacking or self.found:
            return
        if walk is not None:
            self._here.suspects = suspects(walk.nodes)
            self.singular = bool(self._here.suspects)
        elif self.singular and (self._kept < ALWAYS or self._schedule.affordable):
            self._kept += 1
            began = perf_counter()
            self._here.suspects = suspects(search(outputs, singular))
            self._schedule.spend(began)

    @property
    def wanted(self) -> bool:
        """Whether a birth is still to be found."""
        return not self.found and not self.unpacking and self._tries < TRIES

    def drop(self) -> None:
        """The step has ended."""
        self._here.suspects = ()

    def in_forward(self, walk: Walk, step: int, name: Callable[[Any], str]) -> None:
        """The loss is not finite: where in its graph was that born?"""
        if self._may() and not self.unpacking:
            self._note(forward(walk, step, lambda node: self._lines.line(node, walk), name))

    def in_backward(self, step: int) -> None:
        """A gradient is not finite: which operation of this step has an infinite slope where it was?"""
        if self._may():
            self._note(backward(self._here.suspects, step, self._lines.of))

    def _may(self) -> bool:
        self._tries += not self.found
        return not self.found and self._tries <= TRIES

    def _note(self, born: Birth | None) -> None:
        if born is not None:
            self.found.append(born)
