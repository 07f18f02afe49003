"""A gradient of zero where the slope of the answer is not: torch multiplied by the 0 of one factor of two.

The derivative of sign(A)*log1p(|A|) is 1 at 0. torch makes it of sign(0) times a slope and of a 0 times log1p(0).
"""

from __future__ import annotations

from dataclasses import dataclass

from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.flatness import killers
from gradcli.engine.proving.replay import Replay
from gradcli.engine.proving.sloping import slopes
from gradcli.engine.proving.stillness import Flat

SAME = 1e-3


@dataclass(frozen=True, slots=True)
class Astray:
    """The call that multiplied by 0, the input, and the slope of the answer by its first element that has one."""

    flat: Flat
    name: str
    index: int
    slope: float


def astray(outcome: Outcome, replay: Replay, name: str) -> Astray | None:
    """The call to blame; None where the slope is 0, or another on each side."""
    flat = next((one for one in killers(replay, name, stationary=True) if one.kind == "factor"), None)
    count = outcome.inputs[name].value.numel()
    for index in sorted({0, count // 2, count - 1}) if flat is not None else ():
        found = slopes(outcome, name, index)
        if found is None or not found.finite or not found.settled:
            continue
        slope = (found.left + found.right) / 2
        if abs(slope) > SAME and abs(found.left - found.right) <= SAME * found.scale and flat is not None:
            return Astray(flat, name, index, slope)
    return None
