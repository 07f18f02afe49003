"""Where an operand of a step crosses one of its kinks: certain places, however narrow what they make of a curve."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gradcli.engine.proving.kinks import breaks, distances
from gradcli.engine.sweeping.curve import Curve
from gradcli.engine.sweeping.narrowing import RULES, TURN, Ends, narrowed
from gradcli.engine.sweeping.ways import values_of
from gradcli.language.program import Call

MOST = 1024  # crossings of one kink that are followed up


def crossings(curve: Curve, x: torch.Tensor) -> Iterator[tuple[float, float]]:
    """Where operands cross kinks between ascending points, and the distance between these points.

    Only for programs that work element by element: elsewhere an operand is no number at a point.
    """
    calls = (one for one in curve.field.request.program.steps if isinstance(one, Call))
    if curve.field.way != "broadcast" or not any(breaks(one.function) for one in calls):
        return
    for index, apart in enumerate(_apart(curve, x)):
        sign = apart.sign()
        places = (sign[:-1] * sign[1:] < 0).nonzero().flatten()[:MOST]
        if not len(places):
            continue
        low, high = (Ends(x[at], apart[at], apart[at]) for at in (places, places + 1))
        one = _One(curve, index)
        low, high, _ = narrowed(one, low, high, torch.full_like(places, RULES.index(TURN)))
        best = torch.where(low.g.abs() <= high.g.abs(), low.x, high.x)
        yield from zip(best.tolist(), (x[places + 1] - x[places]).tolist(), strict=True)


def _apart(curve: Curve, x: torch.Tensor) -> list[torch.Tensor]:
    """The distance from each kink of each step at points."""
    still = {name: one.expand(len(x)) for name, one in curve.still.items()}
    values = values_of(curve.field.request, {**still, curve.name: x})
    calls = (one for one in curve.field.request.program.steps if isinstance(one, Call))
    return [one.double().expand(len(x)) for call in calls for one in distances(call, values) if one.dim() <= 1]


class _One:
    """The distance from one kink, as a curve whose value and slope it is."""

    def __init__(self, curve: Curve, index: int) -> None:
        self.curve, self.index = curve, index

    def __call__(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        found = _apart(self.curve, x.reshape(-1))[self.index].reshape(x.shape)
        return found, found
