"""A call at other points, in float64: the slopes by one operand, and the value."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from gradcli.engine.defaults import parts_of
from gradcli.engine.proving.alone import cut_off, result_of, unequal
from gradcli.engine.proving.passing import Passed, Place
from gradcli.engine.pulling import pulled

HALVINGS = 40


def slopes_at(
    call: Passed, place: Place, operand: torch.Tensor, others: int | None = None
) -> tuple[torch.Tensor, torch.Tensor] | None:
    """The size of the slopes by an operand with this value, in float64, and the value of the call."""
    ref, part = place
    values: dict[int, Any] = {one: widened(value, others) for one, value in call.operands.items()}
    whole = values[ref]
    if part is not None:
        whole = tuple(operand if at == part else one for at, one in enumerate(whole))
    values[ref] = operand if part is None else whole
    try:
        with torch.enable_grad():
            cut, leaves = cut_off(call, values)
            parts = {at: one for at, one in parts_of(result_of(call, cut)).items() if one.is_floating_point()}
            made = torch.cat([one.reshape(-1) for one in parts.values()])
            live = [(one, unequal(one)) for one in parts.values() if one.requires_grad]
            if not live:
                return torch.zeros(operand.shape, dtype=torch.float64), made.detach()
            slope = pulled(
                [one for one, _ in live], [leaves[place]], [vector for _, vector in live], allow_unused=True
            )[0]  # fmt: skip
    except Exception:
        return None
    found = torch.zeros(operand.shape, dtype=torch.float64) if slope is None else slope.abs()
    return found, made.detach()


class Met(NamedTuple):
    """Another point: an operand, the size of the slopes by it, and the value of the call."""

    at: torch.Tensor
    slope: torch.Tensor
    value: torch.Tensor


def met_at(call: Passed, place: Place, operand: torch.Tensor) -> Met | None:
    """A call at another operand; a slope that is not finite counts for none."""
    seen = slopes_at(call, place, operand)
    return Met(operand, seen[0].nan_to_num(0, 0, 0), seen[1]) if seen is not None else None


def ramp(call: Passed, place: Place, met: list[Met]) -> list[Met]:
    """Points that are not flat, between two that are and differ: found by halving. None are left where it steps."""
    low = met[0]
    high = next((one for one in met if not alike(one.value, low.value)), None)
    if high is None:
        return []
    for _ in range(HALVINGS):
        here = met_at(call, place, (low.at + high.at) / 2)
        if here is None:
            return []
        if bool(here.slope.any()):
            number = float(here.at.reshape(-1)[here.slope.argmax()])  # where one element moves it others may too
            everywhere = met_at(call, place, torch.full_like(here.at, number))
            return [here] if everywhere is None else [here, everywhere]
        low, high = (here, high) if alike(here.value, low.value) else (low, here)
    return []


def widened(value: Any, others: int | None = None) -> Any:
    """An operand in float64, or other numbers in its place."""
    if isinstance(value, tuple):
        return tuple(widened(one, others) for one in value)
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    return value.detach().double() if others is None else drawn(value.shape, 100 + others)


def drawn(shape: torch.Size, trial: int, size: float = 1.0) -> torch.Tensor:
    """Random numbers, the same for the same trial, of magnitudes about 1 and up to a few times a size."""
    pair = trial // 4 * 2 + trial % 2  # each draw comes with its negative, which a one-sided function needs
    generator = torch.Generator().manual_seed(pair)
    draw = torch.randn(shape, generator=generator, dtype=torch.float64)
    return draw * (1.0, 0.4, 3.0 * size)[pair % 3] * (1 if trial // 2 % 2 else -1)


def alike(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two values are equal; NaN is equal to NaN."""
    return one.shape == other.shape and torch.equal(one.nan_to_num(0.5), other.nan_to_num(0.5))
