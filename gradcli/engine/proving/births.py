"""Where values that are not finite come from: the calls that made them of finite operands, and which of them count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from gradcli.engine.defaults import tensors
from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import again
from gradcli.engine.proving.alone import numbers_of, spreads
from gradcli.engine.proving.passing import Passed
from gradcli.engine.proving.replay import Replay


@dataclass(frozen=True, slots=True)
class Birth:
    """A call that made NaN or Inf, and at which elements of its result; `of_infinite`: NaN, out of Inf."""

    index: int
    where: torch.Tensor
    of_infinite: bool = False


def births(outcome: Outcome, replay: Replay) -> list[Birth]:
    """The calls that the outputs owe their NaN and Inf to, each proved by putting 1 in the place of what it made."""
    counted = _counted(outcome, _all_born(replay, _finite))
    if counted:
        return counted
    return [Birth(one.index, one.where, True) for one in _counted(outcome, _all_born(replay, _number))]


def _all_born(replay: Replay, fine: Any) -> list[Birth]:
    found: list[Birth] = []

    def look(call: Passed) -> None:
        birth = _born(call, fine)
        if birth is not None:
            found.append(birth)

    replay.scan(look)
    return found


def _finite(value: torch.Tensor) -> torch.Tensor:
    return value.isfinite()


def _number(value: torch.Tensor) -> torch.Tensor:
    return ~value.isnan()


def _born(call: Passed, fine: Any) -> Birth | None:
    value = call.value
    if call.hands_on or not isinstance(value, torch.Tensor) or not _floats(value):
        return None
    bad = ~fine(value)
    if not bool(bad.any()):
        return None
    read = [one for operand in call.operands.values() for one in tensors(operand) if _floats(one)]
    if any(one - one != 0 for one in numbers_of(call)) and fine is _finite:
        return None
    try:
        if spreads(call):
            for one in read:
                bad = bad & fine(one.detach())
        elif not all(bool(fine(one.detach()).all()) for one in read):
            return None
    except RuntimeError:
        return None
    return Birth(call.index, bad) if bool(bad.any()) else None


def _floats(value: torch.Tensor) -> bool:
    return value.is_floating_point() or value.is_complex()


def _counted(outcome: Outcome, found: list[Birth]) -> list[Birth]:
    """Those without which, the others put right, the outputs would be finite where they are not."""
    bad = [~one.isfinite() for one in outcome.results]
    counted = []
    for birth in found:
        others = [one for one in found if one is not birth]
        results = _without(outcome, others)
        if results is None or any(bool((~one.isfinite() & was).any()) for one, was in zip(results, bad, strict=True)):
            counted.append(birth)
    if len(counted) == len(found) and found:
        results = _without(outcome, found)  # what stays with all of them put right is none of theirs
        if results is not None and all(
            bool(torch.equal(~one.isfinite(), was)) for one, was in zip(results, bad, strict=True)
        ):
            return []
    return counted


def _without(outcome: Outcome, found: list[Birth]) -> tuple[torch.Tensor, ...] | None:
    """The outputs with 1 in the place of what these calls made."""
    places = {one.index: one.where for one in found}

    def swap(index: int, value: Any) -> Any:
        if index not in places or not isinstance(value, torch.Tensor):
            return value
        return torch.where(places[index], torch.ones_like(value), value)

    run = again(outcome, swap=swap)
    return run.results if run is not None else None
