"""Two operands that were both expanded to make a result: (3, 1) with (3) gives (3, 3).

An axis of length 1 that the text made by hand (None, unsqueeze, keepdim, reshape) is meant to be expanded.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from gradcli.engine.proving.replay import Known, Replay
from gradcli.language.program import Bind, Call, Input, Program, operands, references


@dataclass(frozen=True, slots=True)
class Stretched:
    """A call, its two operands, and the shapes of both and of the result."""

    call: Known
    operands: tuple[int, int]
    shapes: tuple[torch.Size, torch.Size]
    result: torch.Size


def stretched(replay: Replay, steps: set[int]) -> list[Stretched]:
    """The calls among these steps whose operands were both expanded, though neither was shaped for it."""
    found = []
    program = replay.program
    for call in (replay.calls[index] for index in sorted(steps)):
        shaped = [(ref, one) for ref, one in call.shapes.items() if len(one)]
        for at, (first, one) in enumerate(shaped):
            for second, other in shaped[at + 1 :]:
                if not _unlike(call, one, other):
                    continue
                made = call.shape if call.step.function.pointwise and call.shape is not None else _broadcast(one, other)
                if not any(_by_hand(program, replay, ref) for ref in (first, second)):
                    found.append(Stretched(call, (first, second), (one, other), made))
    return found


def _unlike(call: Known, one: torch.Size, other: torch.Size) -> bool:
    """Whether two shapes of different length make a result larger than either; a loss wants them equal."""
    try:
        whole = _broadcast(one, other)
    except RuntimeError:
        return False
    larger = whole.numel() > max(one.numel(), other.numel())
    if call.step.function.pointwise:
        return len(one) != len(other) and larger
    return one != other


def _by_hand(program: Program, replay: Replay, index: int) -> bool:
    """Whether a value comes of a step that gave it its shape: other elements than its operands', or another rank."""
    step = program.steps[index]
    if isinstance(step, Bind):
        refs = references(step.operand)
        return bool(refs) and step.part is None and _by_hand(program, replay, refs[0])
    if isinstance(step, Input) or not isinstance(step, Call):
        return False
    call = replay.calls.get(index)
    if call is None or call.shape is None:
        return False
    read = list(call.shapes.values())
    if call.step.function.pointwise and read:
        refs = [ref for operand in operands(step) for ref in references(operand)]
        same = [ref for ref in refs if call.shapes.get(ref) == call.shape]
        return any(_by_hand(program, replay, ref) for ref in same)
    return bool(read) and 1 in call.shape and not any(one == call.shape for one in read)


def _broadcast(one: torch.Size, other: torch.Size) -> torch.Size:
    return torch.broadcast_shapes(one, other)  # type: ignore[no-any-return, no-untyped-call]  # torch has no types here
