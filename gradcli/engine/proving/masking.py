"""Whether the answer uses some elements of a step's result, or a mask, a condition or an index leaves them out.

That what it received is 0 does not show it (a factor may be 0 by chance), and that other numbers in its place change
nothing does not either (A · sqrt(A) at 0). So other numbers are put in its place also at points nearby, with every
condition as it was.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from gradcli.engine.evaluate import Swap
from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import Move, again
from gradcli.engine.proving.beside import Beside
from gradcli.engine.proving.replay import Known, Replay, readers
from gradcli.engine.proving.sloping import Held
from gradcli.language.program import Call

NUMBERS = (0.0, 1.0, -1.0, 0.37, 12.5, -330.0)
NEARBY = 1e-2


def excluded(replay: Replay, index: int, where: torch.Tensor, value: torch.Tensor) -> bool:
    """Whether the answer is the same whatever step `index` has at the elements `where` of its result `value`."""
    if not bool(value[where].isnan().all()) and not _ignored(replay, index, where, None, 2):
        return False
    return all(_ignored(replay, index, where, move, 1) for move in moves(replay.outcome))


def conditions_held(replay: Replay) -> Held:
    """Swaps that keep every condition and index as they are at the point."""
    return lambda: _frozen(replay, all_of=True)


def _frozen(replay: Replay, all_of: bool) -> Swap:
    """A swap that keeps conditions as they are at the point, and with `all_of` indices too: made again beside."""
    if not any(one.decides for one in replay.calls.values()):
        return lambda _, value: value
    beside = Beside(replay.outcome)

    def swap(at: int, value: Any) -> Any:
        held = beside(at)
        call = replay.calls.get(at)
        holds = call is not None and call.decides and (all_of or held.dtype == torch.bool)
        return held if holds and isinstance(value, torch.Tensor) and value.shape == held.shape else value

    return swap


def _ignored(replay: Replay, index: int, where: torch.Tensor, move: Move | None, least: int) -> bool:
    """Whether putting numbers there leaves the outputs bit for bit as they are, for at least so many of them."""
    outcome = replay.outcome if move is None else _loosened(replay.outcome)
    plain = _outputs(outcome, replay, move, None)
    if plain is None:
        return move is not None  # the point cannot be reached: it says nothing
    seen = 0
    for number in NUMBERS:
        found = _outputs(outcome, replay, move, (index, where, number))
        if found is None:
            continue
        comparable = [one.isfinite() & was.isfinite() for one, was in zip(found, plain, strict=True)]
        if any(bool((one[fine] != was[fine]).any()) for one, was, fine in zip(found, plain, comparable, strict=True)):
            return False
        seen += all(
            bool((one.isfinite() >= was.isfinite()).all()) for one, was in zip(found, plain, strict=True)
        )  # fmt: skip
    return seen >= least or move is not None


def _outputs(
    outcome: Outcome, replay: Replay, move: Move | None, put: tuple[int, torch.Tensor, float] | None
) -> tuple[torch.Tensor, ...] | None:
    frozen = _frozen(replay, all_of=move is not None)

    def swap(at: int, value: Any) -> Any:
        value = frozen(at, value)
        if put is not None and at == put[0] and isinstance(value, torch.Tensor):
            value = torch.where(put[1], torch.full_like(value, put[2]), value)
        return value

    run = again(outcome, move=move, swap=swap)
    return run.results if run is not None else None


def moves(outcome: Outcome) -> list[Move]:
    """Points nearby: all inputs a little up, a little down, and each element its own way. Masks of 0 and 1 stay."""

    def moved(name: str, value: torch.Tensor, step: Any) -> torch.Tensor:
        if not value.is_floating_point() or (not outcome.leaves[name].requires_grad and _is_mask(value)):
            return value
        size = torch.where(value.abs() > 1, value.abs(), 1)
        moved = value + (step(name, value) * size).to(value.dtype)
        return torch.where(value.isfinite(), moved, value)

    def noise(name: str, value: torch.Tensor) -> torch.Tensor:
        generator = torch.Generator().manual_seed(sum(map(ord, name)))
        return NEARBY * torch.randn(value.shape, generator=generator).to(value.device)

    steps = (lambda *_: NEARBY, lambda *_: -NEARBY, noise)
    return [lambda name, value, step=step: moved(name, value, step) for step in steps]  # type: ignore[misc]


def _is_mask(value: torch.Tensor) -> bool:
    return value.numel() > 1 and bool(((value == 0) | (value == 1)).all())


def _loosened(outcome: Outcome) -> Outcome:
    """The same with 0.01 for every number 0 that the text multiplies by: a factor of 0 is no mask."""
    program = outcome.request.program

    def step(one: Any) -> Any:
        factor = isinstance(one, Call) and one.path in ("operator.mul", "operator.imul")
        if not factor or not any(isinstance(arg, (int, float)) and arg == 0 for arg in one.args):
            return one
        return replace(
            one, args=tuple(NEARBY if isinstance(arg, (int, float)) and arg == 0 else arg for arg in one.args)
        )

    steps = tuple(map(step, program.steps))
    if steps == program.steps:
        return outcome
    return outcome._replace(request=outcome.request._replace(program=replace(program, steps=steps)))


def leaves_out(replay: Replay, index: int) -> Known | None:
    """The call that leaves out another's result: the first after it with a condition or an index, else the first."""
    flowing = readers(replay.program, index)
    after = [one for one in replay.calls.values() if flowing & one.reads]
    deciding = [one for one in after if one.step.style == "index" or one.deciding]
    return next(iter(deciding or after), None)
