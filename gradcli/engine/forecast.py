"""A look ahead for programs that double and double again: refused before the first step, not at the last.

Each step's element count is bounded from below by counts alone; a bound that no memory can hold is proof enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch

from gradcli.engine.bounds.operands import integers
from gradcli.engine.memory import Room, counted, shown
from gradcli.errors import GradcliError
from gradcli.language.program import (
    Bind,
    Call,
    Input,
    Items,
    Named,
    Operand,
    Program,
    Ref,
    SliceOf,
    operands,
    references,
)

Floor = Callable[[list[int], list[int]], int]


def forecast(program: Program, inputs: Mapping[str, torch.Tensor], room: Room) -> None:
    """Raise GradcliError of kind bounds where a step is sure to have more elements than the budget has bytes."""
    counts: list[int] = []
    limit = 0
    for step in program.steps:
        if isinstance(step, Input):
            counts.append(inputs[step.name].numel())
        elif isinstance(step, Call):
            counts.append(_floor(step, counts))
        else:
            counts.append(_bound_to(step, counts) if isinstance(step, Bind) else 0)
        if counts[-1] > 1 << 28:
            limit = limit or room.budget.limit
            if counts[-1] > limit:
                message = (
                    f"this step makes {counted(counts[-1])} elements or more, "
                    f"and {shown(limit)} of memory are all there is"
                )
                raise GradcliError("bounds", message, span=step.span)


def _bound_to(step: Bind, counts: list[int]) -> int:
    """A name for a tensor has its elements, one for a list those of all its tensors; a part is not known."""
    return sum(counts[ref] for ref in references(step.operand)) if step.part is None else 0


def _floor(step: Call, counts: list[int]) -> int:
    function = step.function
    floor = _BY_NAME.get(function.name) or (_most if function.pointwise or function.name in _KEEPING else None)
    if floor is None or (function.name == "index" and not _whole(step.args[1])):
        return 0
    read = [counts[ref] for operand in operands(step) for ref in references(operand)]
    return floor(read, list(integers(_literals(step.args))))


def _literals(values: tuple[Operand, ...]) -> list[Any]:
    """The numbers written in operands, as nested lists."""
    return [_literals(one.elements) if isinstance(one, Items) else one for one in values if not isinstance(one, Ref)]


def _whole(index: Operand) -> bool:
    """Whether an index leaves every element: `...`, `:`, None."""
    parts = index.elements if isinstance(index, Items) and index.kind == "tuple" else (index,)
    return all(one in (None, Named("Ellipsis"), SliceOf(None, None, None)) for one in parts)


def _most(counts: list[int], _: list[int]) -> int:
    return max(counts, default=0)


def _sum(counts: list[int], _: list[int]) -> int:
    return sum(counts)


def _product(counts: list[int], _: list[int]) -> int:
    return math.prod(counts)


def _times(counts: list[int], numbers: list[int]) -> int:
    return (counts[0] if counts else 0) * math.prod(max(one, 0) for one in numbers)


def _times_first(counts: list[int], numbers: list[int]) -> int:
    return (counts[0] if counts else 0) * max(numbers[0], 0) if numbers else 0


def _written(_: list[int], numbers: list[int]) -> int:
    return math.prod(max(one, 0) for one in numbers) if numbers else 1


_BY_NAME: dict[str, Floor] = {
    **dict.fromkeys(("zeros", "ones", "rand", "randn"), _written),
    **dict.fromkeys(("cat", "stack", "hstack", "vstack", "dstack", "column_stack", "block_diag"), _sum),
    **dict.fromkeys(("kron", "outer", "ger"), _product),
    **dict.fromkeys(("repeat", "tile"), _times),
    "repeat_interleave": _times_first, "index": _most,
}  # fmt: skip
# Rows whose result has every element of their operand.
_KEEPING = frozenset(
    "clone contiguous detach flip roll ravel flatten unflatten cumsum cumprod sort softmax log_softmax reshape view "
    "squeeze unsqueeze transpose t T mT permute movedim adjoint atleast_1d atleast_2d atleast_3d tril triu".split()
)
