"""The findings of a sweep over two inputs: stationary points, lines of kinks, and the area where numbers fail."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import torch

from gradcli.engine.sweeping.areas import areas
from gradcli.engine.sweeping.candidates import candidates
from gradcli.engine.sweeping.classifying import CriticalPoint
from gradcli.engine.sweeping.critical import critical_points
from gradcli.engine.sweeping.curve import Curve, wide
from gradcli.engine.sweeping.field import Field
from gradcli.engine.sweeping.finding import rounded
from gradcli.engine.sweeping.floats import ascending
from gradcli.engine.sweeping.numbers import Numbers
from gradcli.engine.sweeping.points import Axis
from gradcli.engine.sweeping.spots import Spot, spots
from gradcli.engine.sweeping.surface import surface_of
from gradcli.findings import Finding, Place

CELLS, CELLS_ALONE = 128, 16  # of a scan along each input, at least; where every point takes an evaluation of its own
MOST_CELLS = 512
OFF = 0.3819  # of a cell: how far its corners lie from the swept values
CUTS = (0.0, 0.2312, 0.4711, 0.7093, 1.0)  # of the range: where the surface is cut for its kinks
CUT_POINTS, CUT_POINTS_ALONE = 1025, 65
MANY = 24  # flat stationary points: they make a line
LEAPS = frozenset({"kink", "jump", "pole"})


def across(axes: tuple[Axis, ...], numbers: Numbers, field: Field) -> tuple[Finding, ...]:
    """The findings on a grid of two swept inputs of single numbers."""
    if not all(one.scalar and len(one.values) > 1 for one in axes) or numbers.value.is_complex():
        return ()
    precise, names = wide(field), [one.name for one in axes]
    alone = precise.way == "loop"
    dtype = axes[0].values.dtype
    surface = surface_of(precise, names)
    scans = [_scan(one.values, CELLS_ALONE if alone else CELLS) for one in axes]
    known = [one for one in numbers.grads.values() if one is not None]
    lines = _lines(precise, axes, CUT_POINTS_ALONE if alone else CUT_POINTS, dtype) if known else []
    points = list(_stationary(names, list(critical_points(surface, *scans)), dtype, scans)) if known else []
    poles = [one for one in lines if one.kind == "pole"]
    found = [one for one in points if one.kind != "pole" or not any(_lies_on(one, line) for line in poles)]
    return (*found, *lines, *areas(axes, numbers, precise if dtype != torch.float64 else None, found))


def _scan(values: torch.Tensor, cells: int) -> torch.Tensor:
    """Points between the swept values, in ascending order, and both ends: round numbers are corners of no cell."""
    x = ascending(values.double())
    x = x[:: math.ceil(len(x) / MOST_CELLS)] if len(x) > MOST_CELLS else x
    pieces = math.ceil(cells / max(len(x) - 1, 1))
    share = (torch.arange(pieces, dtype=torch.float64) + OFF) / pieces
    inner = (x[:-1, None] + (x[1:] - x[:-1])[:, None] * share).reshape(-1)
    low, high = values.double().aminmax()
    return ascending(torch.cat([low.reshape(1), inner, high.reshape(1)]))


def _stationary(
    names: list[str], found: list[CriticalPoint], dtype: torch.dtype, scans: Sequence[torch.Tensor]
) -> Iterator[Finding]:
    """A finding for each point; one for the line that many flat points make."""
    flat = [one for one in found if one.flat]
    if len(flat) > MANY:
        places = ([one.x for one in flat], [one.y for one in flat])
        where = {name: _reach(of, scan, dtype) for name, of, scan in zip(names, places, scans, strict=True)}
        kinds = {one.kind for one in flat}
        yield Finding(kinds.pop() if len(kinds) == 1 else "stationary", where, says="all along a line")
        found = [one for one in found if not one.flat]
    for one in found:
        where = {names[0]: rounded(one.x, dtype), names[1]: rounded(one.y, dtype)}
        value = None if one.kind == "pole" else rounded(one.value, dtype)
        yield Finding(one.kind, where, value=value, extremum=one.extremum)


def _reach(numbers: Sequence[float], scan: torch.Tensor, dtype: torch.dtype) -> Place:
    """How far a line of points goes, to three digits: to the end of the range where no cell of the scan is left."""
    low, high = min(numbers), max(numbers)
    apart = 2 * float(scan.diff().max())
    if high - low <= apart:
        return _span(numbers, dtype)
    first, last = float(scan[0]), float(scan[-1])
    ends = (
        first if low - first <= apart else float(f"{low:.3g}"),
        last if last - high <= apart else float(f"{high:.3g}"),
    )
    return rounded(ends[0], dtype), rounded(ends[1], dtype)


def _lies_on(one: Finding, line: Finding) -> bool:
    """Whether a point is one of a line."""
    pairs = ((one.where[name], place) for name, place in line.where.items())
    return all(place[0] <= x <= place[1] if isinstance(place, tuple) else x == place for x, place in pairs)  # type: ignore[operator]


def _span(numbers: Sequence[float], dtype: torch.dtype) -> Place:
    low, high = rounded(min(numbers), dtype), rounded(max(numbers), dtype)
    return low if high - low <= 1e-6 * max(abs(low), abs(high), 1.0) else (low, high)


def _lines(precise: Field, axes: tuple[Axis, ...], count: int, dtype: torch.dtype) -> list[Finding]:
    """Kinks, jumps and poles: straight along an input where all cuts have them at one place, else a curve."""
    found: list[Finding] = []
    bent: dict[str, list[tuple[float, float]]] = {}
    for index, axis in enumerate(axes):
        other = axes[1 - index]
        low, high = (float(one) for one in other.values.double().aminmax())
        cuts = [low + (high - low) * share for share in CUTS]
        spotted = [(cut, one) for cut in cuts for one in _cut(precise, axis, other.name, cut, count)]
        for kind in sorted({one.kind for _, one in spotted}):
            here = sorted(((cut, one) for cut, one in spotted if one.kind == kind), key=lambda pair: pair[1].x)
            for group in _groups(here, 1e-9 * float(axis.values.double().abs().max())):
                if len(group) >= len(CUTS) - 1:
                    place = rounded(min((one.x for _, one in group), key=lambda x: len(repr(x))), dtype)
                    where: dict[str, Place] = {
                        axis.name: place,
                        other.name: (rounded(low, dtype), rounded(high, dtype)),
                    }
                    found.append(
                        Finding(
                            kind,
                            {one.name: where[one.name] for one in axes},
                            input=axis.name if kind == "kink" else None,
                        )
                    )
                else:
                    bent.setdefault(kind, []).extend((one.x, cut) if index == 0 else (cut, one.x) for cut, one in group)
    for kind, points in bent.items():
        if len(points) >= len(CUTS) - 1:
            where = {axis.name: _span([one[index] for one in points], dtype) for index, axis in enumerate(axes)}
            found.append(Finding(kind, where, says="along a curve"))
    return found


def _cut(precise: Field, axis: Axis, other: str, cut: float, count: int) -> list[Spot]:
    low, high = (float(one) for one in axis.values.double().aminmax())
    curve = Curve(precise, axis.name, {other: torch.tensor([cut], dtype=torch.float64)})
    x = torch.linspace(low, high, count, dtype=torch.float64)
    found = candidates(curve, x, *curve(x))
    return [one for one in spots(curve, found, low, high) if one.kind in LEAPS and one.of == "value"]


def _groups(found: list[tuple[float, Spot]], alike: float) -> Iterator[list[tuple[float, Spot]]]:
    """What lies at one place in several cuts."""
    group: list[tuple[float, Spot]] = []
    for cut, one in found:
        if group and one.x - group[-1][1].x > alike:
            yield group
            group = []
        group.append((cut, one))
    if group:
        yield group
