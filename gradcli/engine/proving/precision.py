"""What this dtype loses beside float64: numbers that became 0 or infinite, and rounding beyond the inputs' own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch

from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import Move, again
from gradcli.engine.proving.alone import unequal
from gradcli.engine.proving.passing import Passed
from gradcli.engine.proving.replay import Replay, readers
from gradcli.language import families
from gradcli.language.program import Call

SCALES = 24  # powers of two that a loss scale may have
NOISY = 64  # times what rounding the inputs once does to the answer


@dataclass(frozen=True, slots=True)
class Lost:
    """A call whose result became 0 or infinite at these elements; the first of them, and what it is in float64."""

    kind: Literal["under", "over"]
    index: int
    step: Call
    where: torch.Tensor
    got: float
    true: float
    dtype: torch.dtype


@dataclass(frozen=True, slots=True)
class Rounded:
    """An output or a gradient that is off: its name, the element that is most, what it is and what float64 gives."""

    name: str | None
    index: int
    got: float
    true: float


def smallest(dtype: torch.dtype) -> float:
    """The smallest positive number that a dtype holds."""
    return torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps


def lost(replay: Replay) -> list[Lost]:
    """The calls that lost numbers, in order: the first of each chain, for what is lost of it later is a consequence."""
    found: list[Lost] = []
    tainted: set[int] = set()

    def look(call: Passed, other: Any) -> None:
        one = call.value
        if call.index in tainted or call.hands_on or not isinstance(one, torch.Tensor) or not one.is_floating_point():
            return
        one, other = one.detach(), other.detach()
        if one.shape != other.shape:
            return
        under = (one == 0) & (other != 0) & (other.abs() < smallest(one.dtype))
        over = ~one.isfinite() & other.isfinite()
        for kind, where in (("over", over), ("under", under)):
            if bool(where.any()):
                first = int(where.reshape(-1).to(torch.uint8).argmax())
                got, true = (float(value.reshape(-1)[first]) for value in (one, other))
                found.append(Lost(kind, call.index, call.step, where, got, true, one.dtype))  # type: ignore[arg-type]
                tainted.update(readers(replay.program, call.index))
                break

    replay.scan_beside(look)
    return found


def matters(outcome: Outcome, one: Lost) -> bool:
    """Whether the outputs would be finite, where they are not, had the call not lost these numbers."""

    def swap(index: int, value: Any) -> Any:
        if index != one.index or not isinstance(value, torch.Tensor):
            return value
        least = torch.full_like(value, torch.finfo(value.dtype).tiny if one.kind == "under" else 1.0)
        return torch.where(one.where, least, value)

    run = again(outcome, swap=swap)
    if run is None:
        return True
    return any(
        bool((~was.isfinite() & got.isfinite()).any())
        for was, got in zip(outcome.results, run.results, strict=True)
    )  # fmt: skip


def vanished(got: torch.Tensor, true: torch.Tensor, share: float | None = None, size: float = 0.0) -> torch.Tensor:
    """The elements that are 0 here and not in float64, though they are not small beside the others (by a `share`).

    `size`: of the numbers that may have cancelled, so that they are 0 to rounding in float64 too.
    """
    if not got.is_floating_point() or not true.is_floating_point() or got.shape != true.shape:
        return torch.zeros(got.shape, dtype=torch.bool)
    eps = torch.finfo(got.dtype).eps if share is None else share
    most = true.abs().max() if true.numel() else 0.0
    return (
        (got == 0)
        & true.isfinite()
        & (true.abs() < smallest(got.dtype))
        & (true.abs() > max(eps * float(most), NOISY * 2.0**-52 * size))
    )


def scale_for(true: torch.Tensor, where: torch.Tensor, dtype: torch.dtype) -> float | None:
    """The smallest power of two that keeps these gradients in a dtype; None where no loss scale does."""
    least, most = float(true.abs()[where].min()), float(true.abs().max())
    for power in range(SCALES + 1):
        if least * 2.0**power >= torch.finfo(dtype).smallest_normal and most * 2.0**power < torch.finfo(dtype).max:
            return 2.0**power
    return None


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


def absorbing(replay: Replay) -> list[Call]:
    """The sums that are equal to one operand, though no element of the other, which requires grad, is 0."""
    found = []

    def look(call: Passed) -> None:
        pairs = list(call.operands.items())
        for (_, one), (ref, other) in (pairs, pairs[::-1]):
            tensors = isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)
            if tensors and (ref, None) in call.edges and bool(other.all()) and bool((call.value == one).all()):
                found.append(call.step)
                break

    sums = {
        index
        for index, one in replay.calls.items()
        if families.family_of(one.step) & families.ADDS and len(one.reads) == 2 and one.shape is not None
    }
    if sums:
        replay.scan(look, sums)
    return found


def absorbed(outcome: Outcome, wide: Replay, adding: list[Call]) -> list[tuple[str, Call]]:
    """The inputs that carry a gradient, and without which the answer is the same to the last bit, but not in float64.

    `adding`: the sums that may have absorbed them.
    """
    found = []
    for name, leaf in outcome.leaves.items():
        if not leaf.requires_grad or not leaf.is_floating_point() or not bool(leaf.detach().any()):
            continue

        def without(one: str, value: torch.Tensor, name: str = name) -> torch.Tensor:
            return torch.zeros_like(value) if one == name else value

        here, there = again(outcome, move=without), again(outcome, wide=True, move=without)
        if here is None or there is None:
            continue
        same = all(torch.equal(one, was) for one, was in zip(here.results, outcome.results, strict=True))
        differs = any(not torch.equal(one, was) for one, was in zip(there.results, wide.results, strict=True))
        if same and differs:
            found.append((name, adding[0]))
    return found
