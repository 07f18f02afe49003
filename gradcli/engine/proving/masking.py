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
from gradcli.engine.proving.replay import Move, Passed, Replay, again, readers
from gradcli.language.program import Call

NUMBERS = (0.0, 1.0, -1.0, 0.37, 12.5, -330.0)
NEARBY = 1e-2


def excluded(outcome: Outcome, replay: Replay, index: int, where: torch.Tensor, value: torch.Tensor) -> bool:
    """Whether the answer is the same whatever step `index` has at the elements `where` of its result `value`."""
    frozen = {call.index: call.value for call in replay.calls if decides(call.value)}
    truths = {at: one for at, one in frozen.items() if one.dtype == torch.bool}
    if not bool(value[where].isnan().all()) and not _ignored(outcome, index, where, truths, None, 2):
        return False
    return all(_ignored(outcome, index, where, frozen, move, 1) for move in moves(outcome))


def conditions_held(replay: Replay) -> Swap:
    """A swap that keeps every condition and index as they are at the point."""
    frozen = {call.index: call.value for call in replay.calls if decides(call.value)}
    return lambda at, value: frozen.get(at, value)


def decides(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and not (value.is_floating_point() or value.is_complex())


def _ignored(
    outcome: Outcome, index: int, where: torch.Tensor, frozen: dict[int, torch.Tensor], move: Move | None, least: int
) -> bool:
    """Whether putting numbers there leaves the outputs bit for bit as they are, for at least so many of them."""
    outcome = outcome if move is None else _loosened(outcome)
    plain = _outputs(outcome, frozen, move, None)
    if plain is None:
        return move is not None  # the point cannot be reached: it says nothing
    seen = 0
    for number in NUMBERS:
        found = _outputs(outcome, frozen, move, (index, where, number))
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
    outcome: Outcome, frozen: dict[int, torch.Tensor], move: Move | None, put: tuple[int, torch.Tensor, float] | None
) -> tuple[torch.Tensor, ...] | None:
    def swap(at: int, value: Any) -> Any:
        if at in frozen and isinstance(value, torch.Tensor) and value.shape == frozen[at].shape:
            value = frozen[at]
        if put is not None and at == put[0] and isinstance(value, torch.Tensor):
            value = torch.where(put[1], torch.full_like(value, put[2]), value)
        return value

    replay = again(outcome, move=move, swap=swap, keep=False)
    return replay.results if replay is not None else None


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


def leaves_out(replay: Replay, call: Passed) -> Passed | None:
    """The call that leaves out another's result: the first after it with a condition or an index, else the first."""
    flowing = readers(replay.request.program, call.index)
    after = [one for one in replay.calls if flowing & one.operands.keys()]
    deciding = [
        one for one in after if one.step.style == "index" or any(decides(value) for value in one.operands.values())
    ]
    return next(iter(deciding or after), None)
