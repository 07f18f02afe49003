"""Brackets narrowed down to two adjacent numbers, all of them at once: where a sign turns, a slope or value leaps.

In each round every bracket is divided into as many parts as the program evaluates at no further cost, and one part is
gone on with. Each rule says which one, from f and f' at the ends of the parts, and where there is nothing to go on for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch

from gradcli.engine.sweeping.floats import adjacent, of_ranks, ranks

Function = Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
"""f and ∂f/∂x at the points of a tensor, in its shape."""

AT_ONCE = 4096  # points of a round
LEAST, MOST = 3, 8  # a round divides a bracket into 8 to 256 parts
ROUNDS = 70  # a float64 has 64 bits
SHARP = 2.0  # times as steep as a part further on: a pole
LEFT = 1e-3  # of a change that is still there between adjacent numbers: a leap


class Ends(NamedTuple):
    """Places, values, slopes: at one end of brackets, or (brackets, parts) of their parts."""

    x: torch.Tensor
    f: torch.Tensor
    g: torch.Tensor

    def at(self, places: torch.Tensor) -> Ends:
        """Those at some places, or where a mask is true."""
        return Ends(self.x[places], self.f[places], self.g[places])

    def parts(self, chosen: slice) -> Ends:
        """Those of some parts of each bracket."""
        return Ends(self.x[:, chosen], self.f[:, chosen], self.g[:, chosen])

    def put(self, places: torch.Tensor, other: Ends) -> None:
        """Have others at some places."""
        for ours, theirs in zip(self, other, strict=True):
            ours[places] = theirs


class Rule(NamedTuple):
    """How brackets of one kind are narrowed.

    `follows` scores parts from their lower and upper ends: the first of the highest is gone on with. `stops` holds of a
    point between at which the bracket ends. `change` is what a bracket is about: one that has lost it is let go.
    """

    follows: Callable[[Ends, Ends], torch.Tensor]
    stops: Callable[[Ends], torch.Tensor]
    change: Callable[[Ends, Ends], torch.Tensor] | None = None


def steepening(low: Ends, high: Ends) -> torch.Tensor:
    """The change of the slope."""
    return (high.g - low.g).abs()


def leap(low: Ends, high: Ends) -> torch.Tensor:
    """The change of the value that the slopes at both ends do not tell; slopes that are no numbers tell nothing."""
    slope = (low.g + high.g).nan_to_num(nan=0.0, posinf=0.0, neginf=0.0) / 2
    return (high.f - low.f - (high.x - low.x) * slope).abs()


def no_number(point: Ends) -> torch.Tensor:
    """Value or slope are not finite."""
    return ~(point.f.isfinite() & point.g.isfinite())


TURN = Rule(
    lambda low, high: high.g.sign() != low.g[:, :1].sign(),  # first another sign than at the lower end
    lambda point: (point.g == 0) | point.g.isnan(),
)
EDGE = Rule(
    lambda low, high: high.f.isfinite() != low.f[:, :1].isfinite(),
    lambda point: torch.zeros_like(point.f, dtype=torch.bool),
)
STEEPER = Rule(steepening, no_number, steepening)
LEAP = Rule(leap, no_number, leap)
RULES = (TURN, EDGE, STEEPER, LEAP)


def narrowed(
    function: Function, low: Ends, high: Ends, rules: torch.Tensor, at_once: int = AT_ONCE
) -> tuple[Ends, Ends, torch.Tensor]:
    """Brackets narrowed by RULES[rule] until their ends are adjacent numbers, or one number where a rule stops.

    Also whether each still has what it is about. `at_once`: points that cost no more than one does.
    """
    low, high = Ends(*(one.clone() for one in low)), Ends(*(one.clone() for one in high))
    least = torch.zeros_like(low.x)
    for number, rule in enumerate(RULES):
        if rule.change is not None:
            least = torch.where(rules == number, rule.change(low, high) * LEFT, least)
    holds = torch.ones_like(rules, dtype=torch.bool)
    going = torch.arange(len(rules))
    for _ in range(ROUNDS):
        going = going[holds[going] & ~adjacent(low.x[going], high.x[going])]
        if not len(going):
            break
        below, above = low.at(going), high.at(going)
        below, above, kept = _part(function, below, above, rules[going], least[going], at_once)
        low.put(going, below)
        high.put(going, above)
        holds[going] = kept
    return low, high, holds


def _part(
    function: Function, low: Ends, high: Ends, rules: torch.Tensor, least: torch.Tensor, at_once: int
) -> tuple[Ends, Ends, torch.Tensor]:
    """The part of each bracket to go on with, and whether there is what it is about."""
    bits = min(max((at_once // len(rules)).bit_length() - 1, LEAST), MOST) if at_once > 1 else 1
    x = _between(low.x, high.x, bits)
    f, g = function(x)
    nodes = Ends(*(torch.cat([a[:, None], one, b[:, None]], 1) for a, one, b in zip(low, (x, f, g), high, strict=True)))
    below, above, inner = nodes.parts(slice(None, -1)), nodes.parts(slice(1, None)), nodes.parts(slice(1, -1))
    first, last = torch.empty_like(rules), torch.empty_like(rules)
    kept = torch.ones_like(rules, dtype=torch.bool)
    for number, rule in enumerate(RULES):
        mine = (rules == number).nonzero().flatten()
        if not len(mine):
            continue
        ours, theirs, middle = below.at(mine), above.at(mine), inner.at(mine)
        part = rule.follows(ours, theirs).to(x.dtype).nan_to_num(nan=0.0).argmax(1)
        start, end = part, part + 1
        if rule.change is not None:
            start, end = _at_pole(nodes.at(mine), part)
        stop = rule.stops(middle)
        ends, place = stop.any(1), _middle_of(stop) + 1
        first[mine], last[mine] = torch.where(ends, place, start), torch.where(ends, place, end)
        if rule.change is not None:
            left = rule.change(*(_picked(nodes.at(mine), one[mine]) for one in (first, last)))
            kept[mine] = ends | ~(left <= least[mine])
    return _picked(nodes, first), _picked(nodes, last), kept


def _at_pole(nodes: Ends, part: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The nodes around the one place where slopes grow: those on its two sides may be alike. Else the part given.

    A part on each side is kept with it, so that there are slopes to compare in the next round too. Next to an end the
    place may lie on either side of the steepest node.
    """
    steepness = nodes.g.abs()
    most = steepness.shape[1] - 1
    if most < 4:
        return part, part + 1
    top = steepness[:, 1:-1].argmax(1) + 1

    def at(places: torch.Tensor) -> torch.Tensor:
        return steepness.gather(1, places[:, None])[:, 0]

    wide = (ranks(nodes.x[:, -1]) >> 1) - (ranks(nodes.x[:, 0]) >> 1) > most
    inner = (top >= 2) & (top <= most - 2)
    middle = top.clamp(2, most - 2)
    start = middle - (at(middle - 1) > at(middle + 1)).long()
    sharp = at(middle) > SHARP * torch.maximum(at(start - 1), at(start + 2))
    further = torch.where(top < 2, top + 2, top - 2)
    sharp = torch.where(inner, sharp, wide & (at(top) > SHARP * at(further)))
    low = torch.where(inner, start - wide.long(), torch.where(top < 2, 0, most - 3))
    high = torch.where(inner, start + 1 + wide.long(), torch.where(top < 2, 3, most))
    return torch.where(sharp, low, part), torch.where(sharp, high, part + 1)


def _between(low: torch.Tensor, high: torch.Tensor, bits: int) -> torch.Tensor:
    """Numbers that divide brackets into 2**bits parts with as many floating numbers in each."""
    a, b = ranks(low)[:, None], ranks(high)[:, None]
    step = ((b >> bits) - (a >> bits)).clamp(min=1)
    return of_ranks(torch.minimum(a + step * torch.arange(1, 1 << bits), b), low.dtype)


def _middle_of(mask: torch.Tensor) -> torch.Tensor:
    """The place in the middle of those where a mask is true in each row."""
    order = mask.cumsum(1)
    return (order * 2 > order[:, -1:]).int().argmax(1)


def _picked(nodes: Ends, places: torch.Tensor) -> Ends:
    """One node of each bracket."""
    return Ends(*(one.gather(1, places[:, None])[:, 0] for one in nodes))
