"""Rounding beyond what rounding the inputs once explains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import Move, again
from gradcli.engine.proving.alone import unequal
from gradcli.engine.proving.losing import NOISY, smallest, vanished
from gradcli.engine.proving.passing import Passed
from gradcli.engine.proving.replay import Replay


@dataclass(frozen=True, slots=True)
class Rounded:
    """An output or a gradient that is off: its name, the element that is most, what it is and what float64 gives."""

    name: str | None
    index: int
    got: float
    true: float


def rounded(
    outcome: Outcome, wide: Replay, gradients: dict[str, torch.Tensor], true: dict[str, torch.Tensor],
    sizes: dict[Any, float],
) -> list[Rounded]:  # fmt: skip
    """The outputs and gradients that differ from float64 by more than rounding the inputs once explains."""
    there: dict[Any, torch.Tensor] = {**_named(wide.results), **true}
    here = {**_named(outcome.results), **gradients}
    far = {
        name: off
        for name, got in here.items()
        if name in there and (off := _off(got, there[name], sizes.get(name, sizes[None]))) is not None
    }
    if not far:
        return []
    spread = {name: torch.zeros_like(there[name]) for name in far}
    for trial in range(4):
        other = again(outcome, wide=True, move=_jolted(outcome, trial), recorded=True)
        if other is None:
            return []
        moved = {**_named(other.results), **other.gradients()}
        for name, most in spread.items():
            spread[name] = torch.maximum(most, (moved[name] - there[name]).abs().nan_to_num(float("inf")))
    found = []
    for name, off in far.items():
        beyond = torch.where(off > NOISY * spread[name], off, 0)
        if bool(beyond.any()):
            index = int(beyond.reshape(-1).argmax())
            pick = [float(one.detach().reshape(-1)[index]) for one in (here[name], there[name])]
            found.append(Rounded(name if isinstance(name, str) else None, index, *pick))
    return found


def _named(results: tuple[torch.Tensor, ...]) -> dict[Any, torch.Tensor]:
    return {at: one.detach() for at, one in enumerate(results) if one.is_floating_point()}


def sizes_of(wide: Replay) -> dict[Any, float]:
    """How large a gradient is that does not cancel, by input; under None, the largest number on the way."""
    sizes: dict[Any, float] = {None: 0.0}

    def look(call: Passed) -> None:
        if isinstance(call.value, torch.Tensor) and call.value.is_floating_point():
            sizes[None] = max(sizes[None], _largest(call.value))

    def starts(results: tuple[torch.Tensor, ...]) -> list[tuple[torch.Tensor, torch.Tensor]]:
        return [(one, unequal(one)) for one in results if one.requires_grad and one.is_floating_point()]

    wide.scan(look)
    return sizes | {name: _largest(one) for name, one in wide.gradients(starts).items()}


def _largest(value: torch.Tensor) -> float:
    return float(value.detach().abs().nan_to_num(0, 0, 0).max()) if value.numel() else 0.0


def _off(got: torch.Tensor, true: torch.Tensor, size: float) -> torch.Tensor | None:
    """How far the elements are off, where that is many digits; None where none is.

    `size`: of the numbers that may have cancelled. What is 0 to rounding in both dtypes is not off.
    """
    if not got.is_floating_point() or got.dtype == torch.float64 or got.shape != true.shape or not got.numel():
        return None
    eps, true = torch.finfo(got.dtype).eps, true.detach()
    under = vanished(got, true, 0.0)
    least = smallest(got.dtype)
    got = got.detach().double()
    off = (got - true).abs()
    nothing = (got.abs() <= NOISY * eps * size) & (true.abs() <= NOISY * 2.0**-52 * size)
    far = (
        (off > eps**0.25 * true.abs().max())
        & got.isfinite()
        & true.isfinite()
        & ~nothing
        & ~under
        & (off > NOISY * least)
    )
    return torch.where(far, off, 0) if bool(far.any()) else None


def _jolted(outcome: Outcome, trial: int) -> Move:
    """Inputs changed by half a unit in their last place, up or down at random."""

    def move(name: str, value: torch.Tensor) -> torch.Tensor:
        own = outcome.leaves[name].dtype
        if not own.is_floating_point or not value.is_floating_point():
            return value
        generator = torch.Generator().manual_seed(trial)
        sign = torch.randint(0, 2, value.shape, generator=generator).to(value) * 2 - 1
        return value * (1 + sign * torch.finfo(own).eps / 2)

    return move
