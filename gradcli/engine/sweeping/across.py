"""The findings of a sweep over two inputs: stationary points, lines of kinks, and the area where numbers fail."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import torch

from gradcli.engine.sweeping.candidates import candidates
from gradcli.engine.sweeping.curve import Curve, wide
from gradcli.engine.sweeping.field import Field
from gradcli.engine.sweeping.finding import lost, rounded
from gradcli.engine.sweeping.floats import ascending
from gradcli.engine.sweeping.losing import spread
from gradcli.engine.sweeping.points import Axis
from gradcli.engine.sweeping.spots import Spot, spots
from gradcli.engine.sweeping.surface import Summit, summits, surface_of
from gradcli.engine.sweeping.ways import Numbers
from gradcli.findings import Finding, Place

CELLS, CELLS_ALONE = 128, 16  # of a scan along each input, at least; where every point takes an evaluation of its own
MOST_CELLS = 512
OFF = 0.3819  # of a cell: how far its corners lie from the swept values
CUTS = (0.0, 0.2312, 0.4711, 0.7093, 1.0)  # of the range: where the surface is cut for its kinks
CUT_POINTS, CUT_POINTS_ALONE = 1025, 65
LOOKS = 8_192  # points that float64 is asked about
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
    points = list(_stationary(names, list(summits(surface, *scans)), dtype)) if known else []
    poles = [one for one in lines if one.kind == "pole"]
    found = [one for one in points if one.kind != "pole" or not any(_lies_on(one, line) for line in poles)]
    return (*found, *lines, *_areas(axes, numbers, precise if dtype != torch.float64 else None))


def _scan(values: torch.Tensor, cells: int) -> torch.Tensor:
    """Points between the swept values, in ascending order, and both ends: round numbers are corners of no cell."""
    x = ascending(values.double())
    x = x[:: math.ceil(len(x) / MOST_CELLS)] if len(x) > MOST_CELLS else x
    pieces = math.ceil(cells / max(len(x) - 1, 1))
    share = (torch.arange(pieces, dtype=torch.float64) + OFF) / pieces
    inner = (x[:-1, None] + (x[1:] - x[:-1])[:, None] * share).reshape(-1)
    low, high = values.double().aminmax()
    return ascending(torch.cat([low.reshape(1), inner, high.reshape(1)]))


def _stationary(names: list[str], found: list[Summit], dtype: torch.dtype) -> Iterator[Finding]:
    """A finding for each point; one for the line that many flat points make."""
    flat = [one for one in found if one.flat]
    if len(flat) > MANY:
        where = {names[0]: _span([one.x for one in flat], dtype), names[1]: _span([one.y for one in flat], dtype)}
        kinds = {one.kind for one in flat}
        yield Finding(kinds.pop() if len(kinds) == 1 else "stationary", where, says="all along a line")
        found = [one for one in found if not one.flat]
    for one in found:
        where = {names[0]: rounded(one.x, dtype), names[1]: rounded(one.y, dtype)}
        value = None if one.kind == "pole" else rounded(one.value, dtype)
        yield Finding(one.kind, where, value=value, extremum=one.extremum)


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


def _areas(axes: tuple[Axis, ...], numbers: Numbers, precise: Field | None) -> Iterator[Finding]:
    """For value and gradients the box around the points where they fail."""
    lengths = tuple(len(one.values) for one in axes)
    for name, values in ((None, numbers.value), *numbers.grads.items()):
        if values is None or not values.is_floating_point():
            continue
        for kind, mask in (("nan", values.isnan()), ("infinite", values.isinf()), ("zero", values == 0)):
            mask = _solid(mask.reshape(lengths)).reshape(-1) if kind == "zero" else mask
            if not bool(mask.any()):
                continue
            gone = torch.zeros_like(mask) if precise is None else _lost(axes, mask, precise, name, kind)
            for told, part in ((kind, mask & ~gone), ("lost", gone)):
                if bool(part.any()):
                    says = lost(kind, values.dtype) if told == "lost" else None
                    of = "value" if name is None else "gradient"
                    yield Finding(told, _box(axes, part, lengths), of, name, points=int(part.sum()), says=says)


def _solid(mask: torch.Tensor) -> torch.Tensor:
    """The points of a mask that have a whole cell of it beside them."""
    cells = mask[:-1, :-1] & mask[1:, :-1] & mask[:-1, 1:] & mask[1:, 1:]
    solid = torch.zeros_like(mask)
    for corner in (solid[:-1, :-1], solid[1:, :-1], solid[:-1, 1:], solid[1:, 1:]):
        corner |= cells
    return solid


def _lost(axes: tuple[Axis, ...], mask: torch.Tensor, precise: Field, name: str | None, kind: str) -> torch.Tensor:
    places = mask.nonzero().flatten()
    step = -(-len(places) // LOOKS)
    asked, wide_of = places[::step], len(axes[1].values)
    numbers = precise.at(
        {
            axes[0].name: axes[0].values[asked // wide_of].double(),
            axes[1].name: axes[1].values[asked % wide_of].double(),
        }
    )
    known = numbers.value if name is None else numbers.grads[name]
    return torch.zeros_like(mask) if known is None else spread(mask, places, step, known, kind)


def _box(axes: tuple[Axis, ...], mask: torch.Tensor, lengths: tuple[int, ...]) -> dict[str, Place]:
    """The least and the greatest of each input where a mask is true."""
    inside = mask.reshape(lengths)
    where: dict[str, Place] = {}
    for index, axis in enumerate(axes):
        taken = axis.values[inside.any(1 - index)]
        low, high = (rounded(float(one), axis.values.dtype) for one in taken.aminmax())
        where[axis.name] = low if low == high else (low, high)
    return where
