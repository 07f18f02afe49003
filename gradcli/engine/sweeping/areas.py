"""The areas of a grid of two swept inputs where numbers fail: a box around the points that do, for each kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from gradcli.engine.sweeping.failing import least_slope, vanishes
from gradcli.engine.sweeping.field import Field
from gradcli.engine.sweeping.finding import lost, rounded
from gradcli.engine.sweeping.losing import LOOKS, spread
from gradcli.engine.sweeping.numbers import Numbers
from gradcli.engine.sweeping.points import Axis
from gradcli.findings import Finding, Place


def areas(
    axes: tuple[Axis, ...], numbers: Numbers, precise: Field | None, found: Sequence[Finding]
) -> Iterator[Finding]:
    """For value and gradients the box around the points where they fail; `found`: the points where slopes are 0."""
    lengths = tuple(len(one.values) for one in axes)
    for name, values in ((None, numbers.value), *numbers.grads.items()):
        if values is None or not values.is_floating_point():
            continue
        masks = {"nan": values.isnan(), "infinite": values.isinf(), "zero": values == 0}
        if name is not None:
            masks["vanishing"] = _faint(axes, name, values, lengths)
        for kind, mask in masks.items():
            mask = _solid(mask.reshape(lengths)).reshape(-1) if kind in {"zero", "vanishing"} else mask
            if not bool(mask.any()) or (kind == "vanishing" and _holds_any(axes, mask.reshape(lengths), found)):
                continue
            ask = None if kind == "vanishing" else precise
            gone = torch.zeros_like(mask) if ask is None else _lost(axes, mask, ask, name, kind)
            for told, part in ((kind, mask & ~gone), ("lost", gone)):
                if bool(part.any()):
                    says = lost(kind, values.dtype) if told == "lost" else None
                    of = "value" if name is None else "gradient"
                    yield Finding(told, _box(axes, part, lengths), of, name, points=int(part.sum()), says=says)


def _faint(axes: tuple[Axis, ...], name: str, slopes: torch.Tensor, lengths: tuple[int, ...]) -> torch.Tensor:
    """Where slopes by an input are not 0, and so small that a step along them changes nothing."""
    index = [one.name for one in axes].index(name)
    place = axes[index].values.reshape([-1 if at == index else 1 for at in range(len(axes))]).expand(lengths)
    return vanishes(place.reshape(-1), slopes, least_slope(slopes))


def _holds_any(axes: tuple[Axis, ...], mask: torch.Tensor, found: Sequence[Finding]) -> bool:
    """Whether a point or a line of those found lies where a mask is true, or next to it."""
    near = torch.nn.functional.max_pool2d(mask[None, None].float(), 3, 1, 1)[0, 0] > 0
    for one in found:
        rows = [
            (axis.values >= place[0]) & (axis.values <= place[1])
            if isinstance(place := one.where[axis.name], tuple)
            else axis.values == axis.values[(axis.values - place).abs().argmin()]
            for axis in axes
        ]
        if bool(near[rows[0]][:, rows[1]].any()):
            return True
    return False


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
