"""Operands that torch passes on unchecked to code that then leaves its memory: refused before they run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from gradcli.engine.bounds.operands import UNFIT, Operands
from gradcli.errors import GradcliError
from gradcli.language.program import Call

_GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def check_operands(step: Call, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Raise GradcliError of kind argument where operands do not go together, of the functions where torch crashes."""
    UNCHECKED[step.function.name](step, args, kwargs)


def _check_segments(step: Call, args: list[Any], kwargs: dict[str, Any]) -> None:
    given = Operands(step, args, kwargs)
    offsets, lengths = given.get("offsets"), given.get("lengths")
    try:
        size = given.first.shape[given.whole("axis", default=0)]
        most = int(offsets.max()) if offsets is not None else int(lengths.sum(-1).max())
        least = int((lengths if offsets is None else offsets).min())
    except UNFIT:
        return  # torch says what does not go together
    if least < 0 or most > size:
        named = "offsets" if offsets is not None else "lengths"
        message = (
            f"{named} of segment_reduce() reach to {most if least >= 0 else least}, and there are {size:,} elements"
        )
        raise GradcliError("argument", message, span=step.span)


def _check_weights(step: Call, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Each weight of a recurrent layer has the shape that it needs."""
    try:
        given = Operands(step, args, kwargs)
        packed = len(args) > 1 and isinstance(args[1], torch.Tensor) and not args[1].is_floating_point()
        state = args[2] if packed else given.get("hx")
        weights = args[3] if packed else given.get("params")
        biased = bool(args[4] if packed else given.get("has_biases"))
        states = state if isinstance(state, (tuple, list)) else (state,)
        needed = list(_needed(step, given, states, biased, args[7:8] if packed else []))
        shapes = [tuple(one.shape) for one in weights]
    except UNFIT:
        return  # torch says what does not go together
    if len(shapes) != len(needed):
        message = f"params of {step.function.name}() holds {len(shapes)} tensors, and {len(needed)} are needed"
        raise GradcliError("argument", message, span=step.span)
    for index, (shape, wanted) in enumerate(zip(shapes, needed, strict=True)):
        if shape != wanted:
            message = f"params[{index}] of {step.function.name}() has the shape {list(shape)}, not {list(wanted)}"
            raise GradcliError("argument", message, span=step.span, hint="a row for each gate of each unit")


def _needed(
    step: Call, given: Operands, states: Any, biased: bool, bidirectional: list[Any]
) -> Iterator[tuple[int, ...]]:
    """The shapes of weights, layer by layer and direction by direction, in torch's order."""
    out, hidden = states[0].shape[-1], states[-1].shape[-1]
    rows = _GATES[step.function.name] * hidden
    directions = 1 + bool(bidirectional[0] if bidirectional else given.get("bidirectional"))
    for layer in range(states[0].shape[0] // directions):
        for _ in range(directions):
            yield rows, given.first.shape[-1] if layer == 0 else out * directions
            yield rows, out
            if biased:
                yield from ((rows,), (rows,))
            if out != hidden:
                yield out, hidden


UNCHECKED = {**dict.fromkeys(_GATES, _check_weights), "segment_reduce": _check_segments}
