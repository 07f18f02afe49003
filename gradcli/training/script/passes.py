"""Every run of backward() and grad(): the user's line, and where in the order of recording its graph ended."""

from __future__ import annotations

import sys
from collections import deque
from dataclasses import dataclass
from typing import Any

import torch

from gradcli.training.own import Line, own_line
from gradcli.training.watching.variables import variables_of

KEPT = 1_000  # the latest passes that are remembered


@dataclass(frozen=True, slots=True)
class Pass:
    """One run of the engine: its number from 1, line, the last node of its graph, whether the graph was kept.

    `sequence` is None where it began at a leaf.
    """

    number: int
    line: Line | None
    sequence: int | None
    kept: bool
    accumulates: bool


class Passes:
    """The passes of a script, the latest last."""

    def __init__(self) -> None:
        self.all: deque[Pass] = deque(maxlen=KEPT)
        self.count = 0

    def saw(self, outputs: Any, accumulates: bool) -> None:
        """A pass begins."""
        self.count += 1
        found = Pass(self.count, own_line(2), _sequence(outputs), _kept(), accumulates)
        self.all.append(found)


def _sequence(outputs: Any) -> int | None:
    nodes = [one.grad_fn if isinstance(one, torch.Tensor) else getattr(one, "node", None) for one in outputs]
    numbers = [one._sequence_nr() for one in nodes if one is not None]
    return max(numbers, default=None)


def _kept() -> bool:
    """Whether the graph of the run at hand stays: retain_graph, as the engine is told."""
    frame: Any = sys._getframe(1)
    for _ in range(12):
        if frame is None:
            return False
        if frame.f_code.co_name == "_engine_run_backward":
            arguments = dict(variables_of(frame)).get("args")
            return bool(arguments[1]) if isinstance(arguments, tuple) and len(arguments) > 1 else False
        frame = frame.f_back
    return False
