"""Where values that are not finite come from: the calls that made them of finite operands, and which of them count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import torch

from gradcli.engine.defaults import parts_of, tensors
from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import again
from gradcli.engine.proving.alone import numbers_of, spreads
from gradcli.engine.proving.passing import Passed
from gradcli.engine.proving.replay import Replay

FILLERS = (1.0, 0.4, 3.0, -0.4, -3.0)  # numbers to go on with: one of them lies in the domain of what follows


@dataclass(frozen=True, slots=True)
class Birth:
    """A call that made NaN or Inf, in which item of its result, where that is a tuple, and at which elements.

    `out_of`: finite numbers; infinite ones, where it made NaN; or an infinite one that is written in the text.
    """

    index: int
    part: int | None
    where: torch.Tensor
    out_of: Literal["finite", "infinite", "written"] = "finite"


def births(outcome: Outcome, replay: Replay) -> list[Birth]:
    """The calls that the outputs owe their NaN and Inf to, each proved by a number in the place of what it made.

    An infinity that was written on purpose (a mask of -inf) counts only where it left no number of the answer finite.
    """
    counted = _counted(outcome, _all_born(replay, "finite")) or _counted(outcome, _all_born(replay, "infinite"))
    if counted or any(bool(one.isfinite().any()) for one in outcome.results):
        return counted
    return _counted(outcome, _all_born(replay, "written"))


def _all_born(replay: Replay, out_of: Any) -> list[Birth]:
    found: list[Birth] = []

    def look(call: Passed) -> None:
        if not call.hands_on:
            found.extend(_born(call, out_of))

    replay.scan(look)
    return found


def _finite(value: torch.Tensor) -> torch.Tensor:
    return value.isfinite()


def _number(value: torch.Tensor) -> torch.Tensor:
    return ~value.isnan()


def _born(call: Passed, out_of: Any) -> Iterator[Birth]:
    written = any(one - one != 0 for one in numbers_of(call))
    if written != (out_of == "written") and out_of != "infinite":
        return
    fine = _number if out_of == "infinite" else _finite
    read = [one.detach() for operand in call.operands.values() for one in tensors(operand) if _floats(one)]
    for part, value in parts_of(call.value).items():
        if not _floats(value):
            continue
        bad = ~fine(value)
        try:
            if spreads(call):
                for one in read:
                    bad = bad & fine(one)
            elif not all(bool(fine(one).all()) for one in read):
                return
        except RuntimeError:
            return
        if bool(bad.any()):
            yield Birth(call.index, part, bad, out_of)


def _floats(value: torch.Tensor) -> bool:
    return value.is_floating_point() or value.is_complex()


def _counted(outcome: Outcome, found: list[Birth]) -> list[Birth]:
    """Those without which, the others put right, the outputs would be finite where they are not."""
    if not found:
        return []
    bad = [~one.isfinite() for one in outcome.results]
    number = _healing(outcome, found, bad)
    if number is None:
        return []  # what stays with all of them put right is none of theirs
    counted = []
    for birth in found:
        results = _without(outcome, [one for one in found if one is not birth], number)
        if results is None or any(bool((~one.isfinite() & was).any()) for one, was in zip(results, bad, strict=True)):
            counted.append(birth)
    return counted


def _healing(outcome: Outcome, found: list[Birth], bad: list[torch.Tensor]) -> float | None:
    """The number that leaves the fewest outputs not finite in the place of what these calls made.

    None where each leaves them all: 1 alone would meet the next singularity in log(exp(A) - 1).
    """
    best, least = None, sum(int(was.sum()) for was in bad)
    for number in FILLERS:
        results = _without(outcome, found, number)
        if results is None:
            return number if best is None else best
        left = sum(int((~one.isfinite() & was).sum()) for one, was in zip(results, bad, strict=True))
        if left < least:
            best, least = number, left
        if not least:
            break
    return best


def _without(outcome: Outcome, found: list[Birth], number: float) -> tuple[torch.Tensor, ...] | None:
    """The outputs with a number in the place of what these calls made."""
    places = {(one.index, one.part): one.where for one in found}

    def swap(index: int, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return put(value, places.get((index, None)))
        if not isinstance(value, tuple) or not any((index, part) in places for part in range(len(value))):
            return value
        items = [put(one, places.get((index, part))) for part, one in enumerate(value)]
        return type(value)(items)

    def put(value: torch.Tensor, where: torch.Tensor | None) -> torch.Tensor:
        return value if where is None else torch.where(where, torch.full_like(value, number), value)

    run = again(outcome, swap=swap)
    return run.results if run is not None else None
