"""Where along a curve its numbers fail in the dtype of the sweep: NaN, infinite, 0, vanishing, or lost.

A stretch is what holds at neighbouring points and at a point between them; its ends are narrowed down to the last
number of the dtype at which it holds. `lost` is what float64 does not have: a number that is 0 or not finite in the
dtype of the sweep alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import torch

from gradcli.engine.sweeping.failing import rules
from gradcli.engine.sweeping.floats import adjacent, between
from gradcli.engine.sweeping.losing import LOOKS, Holds, Known, lost_at
from gradcli.engine.sweeping.narrowing import Function

INNER = 0.382  # where between two points is looked


class Stretch(NamedTuple):
    """What holds from a point to another, both included, and how many swept points that covers.

    `digits`: float64 has lost it too, and more digits have not.
    """

    kind: str
    of: str
    low: float
    high: float
    points: int
    was: str = ""  # what a lost number became
    digits: bool = False


class Flat(NamedTuple):
    """Points at which the slope is 0 or next to it, and those at which it truly is 0, as far as float64 tells."""

    faint: torch.Tensor
    truly: torch.Tensor


def stretches(function: Function, precise: Function | None, x: torch.Tensor, f: torch.Tensor, g: torch.Tensor | None,
              places: list[float]) -> Iterator[Stretch]:  # fmt: skip
    """The stretches of a curve, from its numbers at ascending points; `function` gives them in their dtype.

    `precise` gives them in float64, where that is more. `places`: where the slope is 0 or leaps.
    """
    slope = torch.full_like(x, torch.nan) if g is None else g
    for of, values in (("value", f), ("gradient", g)):
        if values is None or not values.is_floating_point():
            continue
        flat = Flat(slope == 0, torch.zeros_like(slope, dtype=torch.bool))
        for kind, holds in rules(of, values).items():
            mask = holds(x, f, slope)
            if not bool(mask.any()):
                continue
            parts = [(kind, mask, holds)]
            if precise is not None and kind != "vanishing":
                lost = lost_at(precise, of, kind, x, mask)
                if bool(lost.any()):
                    known = Known(holds, precise, of, kind)
                    parts = [(kind, mask & ~lost, known.too), ("lost", lost, known.alone)]
                if kind == "zero":
                    flat = flat._replace(truly=mask & ~lost)
            elif kind == "vanishing":
                flat = flat._replace(faint=flat.faint | mask)
            for name, part, rule in parts:
                for start, stop, one in _runs(name, of, function, rule, x, part, places):
                    if not (name in {"vanishing", "lost"} and of == "gradient" and _near(x, start, stop, places, flat)):
                        yield one._replace(was=kind)


def _runs(
    name: str, of: str, function: Function, holds: Holds, x: torch.Tensor, mask: torch.Tensor, places: list[float]
) -> Iterator[tuple[int, int, Stretch]]:
    """The stretches of a mask, each with its first and its last point."""
    first, last, gaps = _ends(function, holds, x, mask, places)
    alone = name in {"zero", "vanishing"} or (name == "lost" and of == "value")
    for start, stop in zip(first, last, strict=True):
        if start == stop and alone and len(x) > 1:
            continue
        low, high = float(x[start]), float(x[stop])
        if start > 0:
            low = _edge(function, holds, gaps[start - 1][1] if start - 1 in gaps else x[start - 1], x[start])
        if stop < len(x) - 1:
            high = _edge(function, holds, gaps[stop][0] if stop in gaps else x[stop + 1], x[stop])
        yield start, stop, Stretch(name, of, low, high, stop - start + 1)


def _near(x: torch.Tensor, start: int, stop: int, places: list[float], flat: Flat) -> bool:
    """Whether a run of points leads to where the slope is 0, or to a known place: through points next to 0 alone."""
    steep = (~flat.faint).nonzero().flatten()
    low, high = _until(steep, start, stop, len(x))
    if any(float(x[low]) <= one <= float(x[high]) for one in places):
        return True
    beside = flat.truly[[max(start - 1, 0), min(stop + 1, len(x) - 1)]]
    return bool(beside.any())


def _until(steep: torch.Tensor, start: int, stop: int, count: int) -> tuple[int, int]:
    """The last steep point before a run, and the first one after it."""
    below, above = steep[: int(torch.searchsorted(steep, start))], steep[int(torch.searchsorted(steep, stop + 1)) :]
    return int(below[-1]) if len(below) else 0, int(above[0]) if len(above) else count - 1


def _ends(
    function: Function, holds: Holds, x: torch.Tensor, mask: torch.Tensor, places: list[float]
) -> tuple[list[int], list[int], dict[int, tuple[torch.Tensor, torch.Tensor]]]:
    """The first and the last point of each run that holds between its points too.

    Also the first and the last number between two points at which it does not, by the place of the lower point.
    """
    joined = mask[:-1] & mask[1:]
    pairs = joined.nonzero().flatten()
    looked = pairs[:: -(-len(pairs) // LOOKS)] if len(pairs) else pairs
    inner = x[looked] + (x[looked + 1] - x[looked]) * INNER
    beside, at = _beside(x, joined, places)
    looked, inner = torch.cat([looked, at]), torch.cat([inner, beside])
    gaps: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
    if len(looked):
        failing = ~holds(inner, *function(inner))
        joined[looked[failing]] = False
        for place, number in sorted(zip(looked[failing].tolist(), inner[failing], strict=True), key=lambda one: one[1]):
            gaps[place] = (gaps.get(place, (number, number))[0], number)
    no = joined.new_zeros(1)
    starts = (mask & ~torch.cat([no, joined])).nonzero().flatten().tolist()
    stops = (mask & ~torch.cat([joined, no])).nonzero().flatten().tolist()
    return starts, stops, gaps


def _beside(x: torch.Tensor, joined: torch.Tensor, places: list[float]) -> tuple[torch.Tensor, torch.Tensor]:
    """Numbers halfway between known places and points, where both points hold, and the lower point of each."""
    found: dict[int, list[float]] = {}
    known = x.new_tensor(places)
    for place, at in zip(known.tolist(), (torch.searchsorted(x, known) - 1).tolist(), strict=True):
        if 0 <= at < len(joined) and bool(joined[at]):
            found.setdefault(at, [float(x[at]), float(x[at + 1])]).append(place)
    middles, lower = [], []
    for at, marks in found.items():
        ordered = sorted(set(marks))
        middles += [a + (b - a) / 2 for a, b in pairwise(ordered)]
        lower += [at] * (len(ordered) - 1)
    return x.new_tensor(middles), torch.tensor(lower, dtype=torch.long)


def _edge(function: Function, holds: Holds, outside: torch.Tensor, inside: torch.Tensor) -> float:
    """The last number at which something holds, between a point where it does not and one where it does."""
    low, high = torch.minimum(outside, inside), torch.maximum(outside, inside)
    rising, around_0 = bool(outside < inside), bool((low <= 0) & (high >= 0))
    for _ in range(70):
        if bool(adjacent(low, high)):
            break
        middle = between(low, high).reshape(1)
        inner = bool(holds(middle, *function(middle)))
        low, high = (low, middle[0]) if inner == rising else (middle[0], high)
    found = float(high if rising else low)
    return 0.0 if around_0 and abs(found) < 1e-12 * abs(float(inside - outside)) else found
