"""Whether one evaluation of all points, along a last dimension of their own, is an evaluation of each.

It is where every step works element by element, or along a first dimension that it names: a value of shape (d...) at a
point is one of (d..., points) then, and no step reaches from one point to another. Inputs that are fixed have a last
dimension of size 1: among tensors that have dimensions dtypes promote each other as they do among numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from gradcli.language.program import (
    Bind,
    Call,
    Enter,
    Input,
    Items,
    Leave,
    Operand,
    Program,
    Ref,
    SliceOf,
    operands,
    references,
)

GAINED = {"stacks": 1, "joins": 0, "keeps": 0, "reduces": -1}  # dimensions, along one that a step names
TOLD = {"dim", "keepdim"}  # what such a step may be told


def is_elementwise(program: Program, inputs: Mapping[str, torch.Tensor], swept: tuple[str, ...]) -> bool:
    """Whether every step is known to work so, and every swept input is one number at a point."""
    if program.upstream is not None or any(inputs[name].dim() for name in swept if name in inputs):
        return False
    ranks: list[int | None] = []
    for step in program.steps:
        rank = _rank(step, ranks, inputs)
        if rank is None:
            return False
        ranks.append(rank)
    return True


def _rank(step: object, ranks: list[int | None], inputs: Mapping[str, torch.Tensor]) -> int | None:
    """How many dimensions a step's value has at a point; None where it may reach from one point to another."""
    if isinstance(step, Input):
        return inputs[step.name].dim()
    if isinstance(step, (Enter, Leave)):
        return 0
    if isinstance(step, Bind):
        return None if step.part is not None else _most(references(step.operand), ranks)
    return _call(step, ranks) if isinstance(step, Call) else None


def _call(step: Call, ranks: list[int | None]) -> int | None:
    function, given = step.function, dict(step.kwargs)
    if function.writes or function.random or function.makes or step.style in {"store", "augment"}:
        return None
    first = step.args[0] if step.args else None
    if function.pointwise:
        plain = not any(isinstance(one, (Items, SliceOf)) for one in operands(step))
        return _most([ref for one in operands(step) for ref in references(one)], ranks) if plain else None
    if first is None or len(step.args) > 2 or not given.keys() <= TOLD:
        return None
    named: Operand = step.args[1] if len(step.args) > 1 else given.get("dim")
    if function.along in {"stacks", "joins"}:
        return _joined(function.along, first, 0 if named is None else named, ranks)
    rank = ranks[first.step] if isinstance(first, Ref) else None
    if not rank or isinstance(named, bool) or not isinstance(named, int):
        return None
    if step.style == "index":
        return rank - 1
    if not 0 <= named < rank or not function.along:
        return None
    return rank if given.get("keepdim") is True else rank + GAINED[function.along]


def _joined(along: str, items: Operand, dim: Operand, ranks: list[int | None]) -> int | None:
    """What tensors of one rank are joined to, along a first dimension."""
    if not isinstance(items, Items) or not all(isinstance(one, Ref) for one in items.elements) or dim != 0:
        return None
    known = {ranks[one.step] for one in items.elements if isinstance(one, Ref)}
    rank = known.pop() if len(known) == 1 else None
    return None if rank is None else rank + GAINED[along]


def _most(places: list[int] | tuple[int, ...], ranks: list[int | None]) -> int | None:
    return max((ranks[one] or 0 for one in places), default=0)
