"""Whether a step may run: how much memory and work it takes, known before anything is allocated.

First a bound in plain Python (bounds/). Only where no rule knows the operands, and they are large, is the step run on
the meta device, which computes shapes and no numbers: its first use loads much of torch and takes seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile
from math import prod
from typing import Any

import torch

from gradcli.engine.bounds.limits import check_limits
from gradcli.engine.bounds.operands import UNFIT, Operands, product
from gradcli.engine.bounds.results import elements, itemsize
from gradcli.engine.bounds.views import gives_view, pieces
from gradcli.engine.bounds.work import work
from gradcli.engine.bounds.workspace import workspace
from gradcli.engine.defaults import tensors
from gradcli.engine.memory import Room, counted, shown
from gradcli.engine.operations import callable_of
from gradcli.engine.unchecked import UNCHECKED, check_operands
from gradcli.errors import GradcliError, Span
from gradcli.language.program import Call

SMALL = 1 << 19  # elements that are never worth a second look
WORK = 10**13  # multiplications that take a desktop minutes, of one evaluation
EXACT = 0.01  # share of the budget from which the meta device is asked where no rule tells
PIECES = 10_000  # tensors that one step may give
EMPTY = 1_000_000  # empty lists that an answer may be told with

# Rows whose cost depends on data, or on a number as an exponent: always looked at.
_WILD = frozenset({"classes", "values", "repeats", "combinations", "steps", "bins"})


def admit(step: Call, args: list[Any], kwargs: dict[str, Any], room: Room) -> None:
    """Raise GradcliError of kind bounds where a step would take more memory or work than it may."""
    function = step.function
    if function.limits:
        check_limits(step, args, kwargs)
    if function.name in UNCHECKED:
        check_operands(step, args, kwargs)
    bound = product(args) if not kwargs else product([*args, *kwargs.values()])
    if bound > SMALL and function.pointwise:
        shapes = {one.shape for one in args if isinstance(one, torch.Tensor)}
        bound = next(iter(shapes)).numel() if len(shapes) == 1 and not kwargs else bound
    if bound <= SMALL and (not function.grows or (function.grows not in _WILD and bound**3 <= SMALL)):
        return
    given = Operands(step, args, kwargs)
    limit = room.budget.limit
    made, ruled = elements(given)
    size = itemsize(given)
    if not ruled and made * size > EXACT * limit:
        made, size = _exact(step, args, kwargs, made, size)
    _check_elements(step.span, max([made, *(one.numel() for one in given.tensors)]), limit)
    _check_pieces(given)
    room.work += work(given, made)
    if room.work > WORK:
        message = f"with this step it takes about {room.work:.0e} multiplications, and at most {WORK:.0e} are done"
        raise GradcliError("bounds", message, span=step.span, hint="use smaller operands")
    recorded = torch.is_grad_enabled() and any(one.requires_grad for one in given.tensors)
    view = _is_view(given)
    _check_memory(step.span, (0 if view else made * size) + workspace(given, made, recorded), room)


def admit_answer(results: Iterable[torch.Tensor], span: Span, room: Room) -> None:
    """Raise GradcliError of kind bounds where an answer has more elements than can be told: views may.

    A tensor without elements is told as empty lists, of which its shape can want any number.
    """
    results = list(results)
    if 0 < prod([one.numel() for one in results]) <= SMALL >> 4:
        return
    for one in results:
        if not one.numel() and prod(takewhile(bool, one.shape)) > EMPTY:
            message = f"a tensor of shape {list(one.shape)} has no elements, and more than {EMPTY:,} empty lists"
            raise GradcliError("bounds", message, span=span)
    count = sum(one.numel() * one.element_size() for one in results)
    if count > SMALL and count > room.budget.limit:
        message = f"the answer has {shown(count)} of numbers, and {shown(room.budget.limit)} of memory are all there is"
        raise GradcliError("bounds", message, span=span, hint="an expanded view counts by its elements")


def _check_elements(span: Span, most: int, limit: int) -> None:
    if most > limit:
        message = f"this step works through {counted(most)} elements, and {shown(limit)} of memory are all there is"
        raise GradcliError("bounds", message, span=span, hint="an expanded view counts by its elements")


def _check_pieces(given: Operands) -> None:
    try:
        count = pieces(given)
    except UNFIT:
        return
    if count > PIECES:
        message = f"this step gives {count:,} tensors, and at most {PIECES:,} are made"
        raise GradcliError("bounds", message, span=given.step.span, hint="reshape(), or larger pieces")


def _check_memory(span: Span, needed: int, room: Room) -> None:
    allowed = room.budget
    if needed <= EXACT * allowed.limit or needed <= (left := allowed.left()):
        return
    there = f"{shown(max(left, 0))} of the budget of {shown(allowed.limit)} are left"
    hint = f"the budget {'was given with' if allowed.asked else 'is 80 % of what is free; set it with'} --max-memory"
    raise GradcliError("bounds", f"this step needs {shown(needed)}, and {there}", span=span, hint=hint)


def _is_view(given: Operands) -> bool:
    try:
        return gives_view(given)
    except UNFIT:
        return False


def _exact(step: Call, args: list[Any], kwargs: dict[str, Any], bound: int, size: int) -> tuple[int, int]:
    """Elements and bytes an element of a result, asked of the meta device.

    Where it cannot tell, because the shape depends on the data, the bound stands in.
    """
    memo: dict[int, torch.Tensor] = {}
    try:
        with torch.no_grad():
            shadow_args = [_shadow(value, memo) for value in args]
            shadow_kwargs = {name: _shadow(value, memo) for name, value in kwargs.items()}
            if step.function.makes or "device" in shadow_kwargs:
                shadow_kwargs["device"] = "meta"
            made = list(tensors(callable_of(step)(*shadow_args, **shadow_kwargs)))
    except (NotImplementedError, AssertionError):
        return bound, size
    except Exception as error:
        unknown = re.search(r"meta|storage size|overflow|data.dependent", str(error), re.IGNORECASE)
        return (bound, size) if unknown else (0, size)  # else torch refuses the operands: let it say so
    return sum(one.numel() for one in made), max((one.element_size() for one in made), default=size)


def _shadow(value: Any, memo: dict[int, torch.Tensor]) -> Any:
    """The same operands on the meta device."""
    if isinstance(value, torch.Tensor):
        if id(value) not in memo:
            memo[id(value)] = torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="meta")
        return memo[id(value)]
    if type(value) in (list, tuple):
        return type(value)(_shadow(one, memo) for one in value)
    return value
