"""What this dtype loses beside float64: numbers that became 0 or infinite, and those rounded to 0 on the way there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch

from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import again
from gradcli.engine.proving.alone import result_of
from gradcli.engine.proving.births import FILLERS
from gradcli.engine.proving.elsewhere import widened
from gradcli.engine.proving.passing import Passed
from gradcli.engine.proving.replay import Replay, readers
from gradcli.language.program import Call

NOISY = 64  # times what rounding the inputs once does to the answer
SCALES = 24  # powers of two that a loss scale may have


Kind = Literal["under", "over", "round"]


@dataclass(frozen=True, slots=True)
class Lost:
    """A call whose result became 0 or infinite at these elements; the first of them, and what it is in float64.

    `round`: not for want of range, but of digits.
    """

    kind: Kind
    index: int
    step: Call
    where: torch.Tensor
    got: float
    true: float
    dtype: torch.dtype


def smallest(dtype: torch.dtype) -> float:
    """The smallest positive number that a dtype holds."""
    return torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps


def lost(replay: Replay) -> list[Lost]:
    """The calls that lost numbers, in order: the first of each chain, for what is lost of it later is a consequence."""
    found: list[Lost] = []
    tainted: set[int] = set()
    zeros: dict[int, Lost] = {}  # what rounding made of numbers that cancel

    def look(call: Passed, other: Any) -> None:
        one = call.value
        if call.index in tainted or call.hands_on or not isinstance(one, torch.Tensor) or not one.is_floating_point():
            return
        one, other = one.detach(), other.detach()
        if one.shape != other.shape:
            return
        gone = (one == 0) & (other != 0)
        under = gone & (other.abs() < smallest(one.dtype))
        over = ~one.isfinite() & other.isfinite()
        held = over & (other.abs() <= torch.finfo(one.dtype).max)
        if bool(gone.any()):
            zeros[call.index] = _lost("round", call, gone, one, other)
        if bool(held.any()) and not _finite_in_float64(call, held):
            rounded = next((zeros[ref] for ref in call.operands if ref in zeros), None)
            found.append(rounded or _lost("round", call, held, one, other))
        elif bool(over.any()):
            found.append(_lost("over", call, over, one, other))
        elif bool(under.any()):
            found.append(_lost("under", call, under, one, other))
        else:
            return
        tainted.update(readers(replay.program, call.index))

    replay.scan_beside(look)
    return found


def _finite_in_float64(call: Passed, where: torch.Tensor) -> bool:
    """Whether a call is finite at these elements in float64, on the very operands that it has."""
    try:
        found = result_of(call, {ref: widened(value) for ref, value in call.operands.items()})
    except Exception:
        return True
    return isinstance(found, torch.Tensor) and bool(found[where].isfinite().all())


def _lost(kind: Kind, call: Passed, where: torch.Tensor, one: torch.Tensor, other: torch.Tensor) -> Lost:
    first = int(where.reshape(-1).to(torch.uint8).argmax())
    got, true = (float(value.reshape(-1)[first]) for value in (one, other))
    return Lost(kind, call.index, call.step, where, got, true, one.dtype)


def matters(outcome: Outcome, one: Lost) -> bool:
    """Whether the outputs would be finite, where they are not, had the call not lost these numbers."""

    def healed(number: float) -> bool:
        def swap(index: int, value: Any) -> Any:
            if index != one.index or not isinstance(value, torch.Tensor):
                return value
            return torch.where(one.where, torch.full_like(value, number), value)

        run = again(outcome, swap=swap)
        return run is None or any(
            bool((~was.isfinite() & got.isfinite()).any())
            for was, got in zip(outcome.results, run.results, strict=True)
        )

    return any(map(healed, (torch.finfo(one.dtype).tiny,) if one.got == 0 else FILLERS))


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
