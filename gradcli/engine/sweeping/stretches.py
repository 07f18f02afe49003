"""Where along a curve its numbers fail in the dtype of the sweep: NaN, infinite, 0, vanishing, or lost.

A stretch is what holds at neighbouring points and at a point between them; its ends are narrowed down to the last
number of the dtype at which it holds. `lost` is what float64 does not have: a number that is 0 or not finite in the
dtype of the sweep alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import torch

from gradcli.engine.sweeping.floats import adjacent, between
from gradcli.engine.sweeping.narrowing import Function

SMALL = 2.0**-23  # a slope that moves nothing by as much as float32 rounds off
LOOKS = 8_192  # points of a sweep that float64 is asked about, and pairs of points that are looked between
INNER = 0.382  # where between two points is looked

Holds = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
"""Whether something holds at points, from their place, value and slope."""


class Stretch(NamedTuple):
    """What holds from a point to another, both included, and how many swept points that covers."""

    kind: str
    of: str
    low: float
    high: float
    points: int
    was: str = ""  # what a lost number became


def stretches(function: Function, precise: Function | None, x: torch.Tensor, f: torch.Tensor, g: torch.Tensor | None,
              places: list[float]) -> Iterator[Stretch]:  # fmt: skip
    """The stretches of a curve, from its numbers at ascending points; `function` gives them in their dtype.

    `precise` gives them in float64, where that is more. `places`: where the slope is 0 or leaps.
    """
    slope = torch.full_like(x, torch.nan) if g is None else g
    for of, values in (("value", f), ("gradient", g)):
        if values is None or not values.is_floating_point():
            continue
        for kind, holds in _rules(of, values).items():
            mask = holds(x, f, slope)
            if not bool(mask.any()):
                continue
            lost = torch.zeros_like(mask)
            if precise is not None and kind != "vanishing":
                lost = _lost(precise, of, kind, x, mask)
            for name, part in ((kind, mask & ~lost), ("lost", lost)):
                for one in _runs(name, of, function, holds, x, part, places, mask):
                    yield one._replace(was=kind)


def _rules(of: str, values: torch.Tensor) -> dict[str, Holds]:
    """What is looked for in values, or in slopes: what their least and their greatest do not rule out."""
    if not len(values):
        return {}
    least, most = (float(one) for one in values.aminmax())  # NaN where there is any
    failing = not math.isfinite(most - least)

    def chosen(f: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
        return f if of == "value" else g

    found: dict[str, Holds] = {}
    if failing:
        found["nan"] = lambda _, f, g: chosen(f, g).isnan()
        found["infinite"] = lambda _, f, g: chosen(f, g).isinf()
    if failing or least <= 0 <= most:
        found["zero"] = lambda _, f, g: chosen(f, g) == 0
    if of == "gradient":
        kind = torch.finfo(values.dtype)
        steepest = float(values.abs().nan_to_num(nan=0.0, posinf=0.0).max()) if failing else max(most, -least)
        tiny = max(min(kind.eps, SMALL), kind.tiny) * min(steepest, 1.0)
        if failing or (least < tiny and most > -tiny):
            found["vanishing"] = lambda x, _, g: (g.abs() < tiny) & (g != 0) & (g.abs() * x.abs().clamp(min=1.0) < tiny)
    return found


def _lost(precise: Function, of: str, kind: str, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Where float64 has a number that the dtype of the sweep has not; of many points every so many are asked about."""
    places = mask.nonzero().flatten()
    step = -(-len(places) // LOOKS)
    f, g = precise(x[places[::step]].double())
    known = f if of == "value" else g
    return spread(mask, places, step, known, kind)


def spread(mask: torch.Tensor, places: torch.Tensor, step: int, known: torch.Tensor, kind: str) -> torch.Tensor:
    """Where numbers of float64 are what those of the dtype are not; each stands for `step` places."""
    better = known.isfinite() & (known != 0) if kind == "zero" else known.isfinite()
    found = torch.zeros_like(mask)
    found[places] = better.repeat_interleave(step)[: len(places)]
    return found


def _runs(
    name: str, of: str, function: Function, holds: Holds, x: torch.Tensor, mask: torch.Tensor, places: list[float],
    wider: torch.Tensor,
) -> Iterator[Stretch]:  # fmt: skip
    """The stretches of a mask. `wider` is where the rule holds at all: an end within that is no end of the rule."""
    first, last, gaps = _ends(function, holds, x, mask, places)
    alone = name in {"zero", "vanishing"} or (name == "lost" and of == "value")
    for start, stop in zip(first, last, strict=True):
        if start == stop and alone and len(x) > 1:
            continue
        low, high = float(x[start]), float(x[stop])
        if start > 0 and not bool(wider[start - 1]):
            low = _edge(function, holds, x[start - 1], x[start])
        elif start - 1 in gaps:
            low = _edge(function, holds, gaps[start - 1][1], x[start])
        if stop < len(x) - 1 and not bool(wider[stop + 1]):
            high = _edge(function, holds, x[stop + 1], x[stop])
        elif stop in gaps:
            high = _edge(function, holds, gaps[stop][0], x[stop])
        if (name == "vanishing" or (name == "lost" and of == "gradient")) and _near(x, start, stop, places):
            continue
        yield Stretch(name, of, low, high, stop - start + 1)


def _near(x: torch.Tensor, start: int, stop: int, places: list[float]) -> bool:
    """Whether a place lies in a run of points or next to it."""
    low, high = float(x[max(start - 1, 0)]), float(x[min(stop + 1, len(x) - 1)])
    return any(low <= one <= high for one in places)


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
    rising = bool(outside < inside)
    for _ in range(70):
        if bool(adjacent(low, high)):
            break
        middle = between(low, high).reshape(1)
        inner = bool(holds(middle, *function(middle)))
        low, high = (low, middle[0]) if inner == rising else (middle[0], high)
    found = float(high if rising else low)
    return 0.0 if abs(found) < 1e-12 * abs(float(inside - outside)) else found
