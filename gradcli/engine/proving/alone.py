"""One call run by itself, on operands cut from everything before it: what it emits in backward for what it received."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from gradcli.engine.defaults import parts_of
from gradcli.engine.operations import callable_of, operand_value
from gradcli.engine.proving.again import Short, short_of_memory
from gradcli.engine.proving.passing import Passed, Place
from gradcli.engine.pulling import pulled
from gradcli.engine.readable import all_readable
from gradcli.language.program import operands, references
from gradcli.language.signature import writes

Upstream = Mapping[int | None, torch.Tensor]
"""A gradient for a call's result, or for items of it."""

LARGEST = 1 << 22  # elements that operands are spread out to


def emitted(call: Passed, upstream: Upstream, spread: bool = False) -> dict[Place, torch.Tensor]:
    """What a call gives back to each operand that requires grad; nothing where it cannot be run by itself.

    `spread`: of a call that works element by element, each element of the result gets its own copy of the operands, so
    that what is given back has the shape of the result and is not added up.
    """
    if call.step.function.random:
        return {}  # it would draw other numbers than it did
    try:
        with torch.enable_grad():
            values, leaves = cut_off(call, call.operands, spread)
            found = _backward(result_of(call, values), leaves, upstream)
    except Exception as error:
        if short_of_memory(error):
            raise Short from error
        return {}
    return {place: one for place, one in found.items() if one is not None}


def cut_off(call: Passed, operands: Mapping[int, Any], spread: bool = False) -> tuple[dict[int, Any], dict[Place, Any]]:
    """Operands without a past, and among them new leaves where the call's own require grad."""
    leaves: dict[Place, torch.Tensor] = {}
    shape = call.value.shape if spreads(call) and spread else None

    def fresh(place: Place, value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        value = value.detach()
        if shape is not None and value.numel() <= LARGEST:
            value = value.expand(shape).clone()
        if place in call.edges and (value.is_floating_point() or value.is_complex()):
            leaves[place] = value = value.requires_grad_()
        return value

    values: dict[int, Any] = {}
    for ref, value in operands.items():
        if isinstance(value, tuple):
            values[ref] = (
                type(value)([fresh((ref, part), one) for part, one in enumerate(value)])
                if hasattr(type(value), "n_fields")
                else tuple(fresh((ref, part), one) for part, one in enumerate(value))
            )
        else:
            values[ref] = fresh((ref, None), value)
    return values, leaves


def result_of(call: Passed, values: Mapping[int, Any]) -> Any:
    """The result of a call on these operands."""
    step = call.step
    if writes(step.function, step.args, step.kwargs):
        # Not the first operand alone: max_norm and running_mean name others that are written to.
        values = {at: one.clone() if isinstance(one, torch.Tensor) else one for at, one in values.items()}
    args = [operand_value(one, values) for one in step.args]  # type: ignore[arg-type]  # read by index alone
    kwargs = {name: operand_value(one, values) for name, one in step.kwargs}  # type: ignore[arg-type]
    found = callable_of(step)(*args, **kwargs)
    return args[0] if step.style == "store" else found


def spreads(call: Passed) -> bool:
    """Whether a call works element by element on operands that broadcast to its result."""
    step = call.step
    return (
        step.function.pointwise
        and isinstance(call.value, torch.Tensor)
        and all(isinstance(one, torch.Tensor) for one in call.operands.values())
        and not writes(step.function, step.args, step.kwargs)
        and not any(isinstance(one, (list, tuple)) for one in call.operands.values())
    )


def _backward(result: Any, leaves: dict[Place, torch.Tensor], upstream: Upstream) -> dict[Place, Any]:
    starts = [(one, upstream[part]) for part, one in parts_of(result).items() if part in upstream and one.requires_grad]
    if not starts or not leaves:
        return {}
    vectors = [vector.to(one.dtype).expand(one.shape) for one, vector in starts]
    found = pulled([one for one, _ in starts], list(leaves.values()), vectors, allow_unused=True)
    return dict(zip(leaves, all_readable(found), strict=True))


def unequal(value: torch.Tensor) -> torch.Tensor:
    """Unequal weights for the elements of a value: with equal ones the slopes of what adds up to 1 cancel."""
    count = torch.arange(value.numel(), dtype=torch.float64)
    return (0.4 + (count * 0.618 + 0.21).remainder(1)).reshape(value.shape).to(value.dtype)


def numbers_of(call: Passed) -> list[int | float]:
    """The plain numbers among the operands of a call."""
    given = [operand_value(one, []) for one in operands(call.step) if not references(one)]
    return [one for one in given if isinstance(one, (int, float)) and not isinstance(one, bool)]
