"""A sweep over one input as curves to draw: runs of points that belong together, and a scale that shows them.

Nothing is drawn across a pole, a jump, or a point that is not finite. Long curves are thinned: of the points that fall
into one column the first, the least, the greatest and the last are kept, so that no peak is lost.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from gradcli.findings import Finding
from gradcli.numerals import numbers
from gradcli.render.plots.scales import logarithmic
from gradcli.swept import Sweep

if TYPE_CHECKING:
    import torch

COLUMNS = 1000  # places of a curve that can be told apart
PARTS = 4  # curves of an input that is no single number; of more, the length of the gradient
BREAKS = frozenset({"jump", "pole", "gap"})
CORNERS = frozenset({"minimum", "maximum", "kink", "inflection"})

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Curve:
    """One curve: what it is called, its runs of finite points, and where it is not finite."""

    label: str
    runs: tuple[tuple[Point, ...], ...]
    missing: tuple[float, ...]

    @property
    def heights(self) -> list[float]:
        return [y for run in self.runs for _, y in run]

    @property
    def broken(self) -> bool:
        return len(self.runs) > 1 or bool(self.missing)


@dataclass(frozen=True, slots=True)
class Picture:
    """The curves of a sweep over one input; `logarithmic` where the points are spread so."""

    name: str
    logarithmic: bool
    left: float
    right: float
    values: tuple[Curve, ...]
    slopes: tuple[Curve, ...]


def picture_of(result: Sweep, name: str | None = None) -> Picture:
    """What to draw of a sweep; `name`: the input that has several points, where the other has one."""
    name = name or next(iter(result.at))
    places = result.at[name]
    x = [float(one) for one in range(len(places))] if places.dim() > 1 else _numbers(places)
    label = name if places.dim() == 1 else f"number of the point of {name}"
    value = _numbers(result.value.reshape(-1))
    grad = result.grad[name]
    parts = dict(_parts(name, grad.reshape(len(x), -1))) if grad is not None else {}
    lead = next(iter(parts.values()), None) if len(parts) == 1 else None
    found = [one for one in result.findings if isinstance(one.where.get(name), (int, float))]
    order = sorted(range(len(x)), key=lambda index: x[index])
    x, value = [x[index] for index in order], [value[index] for index in order]
    lead = [lead[index] for index in order] if lead else None
    parts = {one: [each[index] for index in order] for one, each in parts.items()}
    cuts = {float(one.where[name]) for one in found if one.kind in BREAKS}  # type: ignore[arg-type]
    kinks = cuts | {float(one.where[name]) for one in found if one.kind == "kink"}  # type: ignore[arg-type]
    torn = set(_torn(value, lead))
    told = "value" if not result.value.is_complex() else "real part of the value"
    known = [(x, y) for one, x, y in marked(result, name) if one.kind in CORNERS]
    return Picture(
        label, logarithmic(x), x[0], x[-1],
        (_with(_curve(told, x, value, cuts, torn), known),),
        tuple(_curve(one, x, each, kinks, torn, apart=True) for one, each in parts.items()),
    )  # fmt: skip


def _numbers(values: torch.Tensor) -> list[float]:
    real = values.real if values.is_complex() else values
    return [float(one) for one in numbers(real)]


def _parts(name: str, grad: torch.Tensor) -> Iterator[tuple[str, list[float]]]:
    """The gradient's own curves: one a component while they are few."""
    label = f"{name}.grad"
    if grad.is_complex():
        grad, label = grad.real, f"real part of {label}"
    if grad.shape[1] == 1:
        yield label, _numbers(grad[:, 0])
    elif grad.shape[1] <= PARTS:
        yield from ((f"{label}[{index}]", _numbers(grad[:, index])) for index in range(grad.shape[1]))
    else:
        yield f"length of {label}", _numbers(grad.double().norm(dim=1))


def _torn(y: Sequence[float], slope: Sequence[float] | None) -> Iterator[int]:
    """Intervals that a curve cannot cross, by its slopes: it goes against both of them, or jumps while both are 0."""
    finite = [one for one in y if math.isfinite(one)]
    if not finite or slope is None:
        return
    least = 0.01 * (max(finite) - min(finite))
    for index, (before, after) in enumerate(pairwise(y)):
        rise = after - before
        first, second = slope[index], slope[index + 1]
        if abs(rise) > least and ((rise * first < 0 and rise * second < 0) or first == second == 0):
            yield index


def _curve(
    label: str, x: Sequence[float], y: Sequence[float], cuts: set[float], torn: set[int], apart: bool = False
) -> Curve:
    """A curve, cut before each place of `cuts`, and where it is to stand `apart`, behind it, too."""
    runs: list[list[Point]] = [[]]
    missing: list[float] = []
    edges = sorted(cuts)
    place = 0
    for index, (here, height) in enumerate(zip(x, y, strict=True)):
        if not math.isfinite(here):
            continue
        alike = index > 0 and height == y[index - 1]
        cut = index - 1 in torn or (apart and index > 0 and x[index - 1] in cuts and not alike)
        while place < len(edges) and edges[place] <= here:
            cut |= not (apart and alike and edges[place] == here)
            place += 1
        if cut or not math.isfinite(height):
            runs.append([])
        if math.isfinite(height):
            runs[-1].append((here, height))
        else:
            missing.append(here)
    width = (x[-1] - x[0]) / COLUMNS or 1.0
    return Curve(label, tuple(tuple(_thinned(run, width)) for run in runs if run), tuple(missing))


def _with(curve: Curve, known: Sequence[Point]) -> Curve:
    """A curve that goes through known points between its own, so that no corner is cut off."""
    runs = []
    for run in curve.runs:
        inner = [one for one in known if run[0][0] < one[0] < run[-1][0]]
        runs.append(tuple(sorted({*run, *inner})) if inner else run)
    return Curve(curve.label, tuple(runs), curve.missing)


def _thinned(run: list[Point], width: float) -> list[Point]:
    if len(run) <= 2 * COLUMNS or not math.isfinite(width):
        return run
    columns: dict[int, list[Point]] = {}
    for point in run:
        columns.setdefault(int((point[0] - run[0][0]) / width), []).append(point)
    kept: list[Point] = []
    for points in columns.values():
        best = {points[0], min(points, key=lambda one: one[1]), max(points, key=lambda one: one[1]), points[-1]}
        kept += sorted(best)
    return kept


def marked(result: Sweep, name: str) -> Iterator[tuple[Finding, float, float]]:
    """Findings at one place where the value is known: the finding, the place, and the value there."""
    for one in result.findings:
        place = one.where.get(name)
        if isinstance(place, (int, float)) and one.value is not None and math.isfinite(one.value):
            yield one, float(place), one.value


def worded(kind: str) -> str:
    """What a picture calls a finding that it marks."""
    return "infinite slope" if kind == "infinite" else kind


def stretches(result: Sweep, name: str) -> Iterator[tuple[Finding, float, float]]:
    """Findings that reach from one place to another."""
    for one in result.findings:
        place = one.where.get(name)
        if isinstance(place, tuple):
            yield one, float(place[0]), float(place[1])
