"""einsum: its indices with their sizes, the elements of its result, and what its operands make on the way to it."""

from __future__ import annotations

import math
from typing import Any

import torch

from gradcli.engine.bounds.operands import Operands


def contracted(given: Operands) -> int | None:
    found = lettered(given)
    return math.prod(found[2][letter] for letter in found[1]) if found else None


Letters = tuple[list[list[Any]], list[Any], dict[Any, int]]


def lettered(given: Operands) -> Letters | None:
    """The indices of each operand and of the result, and the size of each; an ellipsis counts from its end."""
    written = given.args[0] if given.args and isinstance(given.args[0], str) else given.kwargs.get("equation")
    if isinstance(written, str):
        left, arrow, right = written.replace(" ", "").partition("->")
        parts: list[Any] = [_letters(part) for part in left.split(",")]
        asked: Any = _letters(right) if arrow else None
    else:  # einsum(A, [0, 1], B, [1, 2], [0, 2])
        lists: list[Any] = [one for one in given.args if isinstance(one, list)]
        parts, asked = lists[: len(given.tensors)], next(iter(lists[len(given.tensors) :]), None)
    sizes: dict[Any, int] = {}
    named = [_named(part, one, sizes) for part, one in zip(parts, given.tensors, strict=True)]
    wide = sorted({index for part in named for index in part if isinstance(index, tuple)})
    if asked is None:
        every = [index for part in named for index in part if not isinstance(index, tuple)]
        return named, [*wide, *(index for index in sorted(set(every)) if every.count(index) == 1)], sizes
    return named, [index for one in asked for index in (wide if one is ... else [one])], sizes


def _letters(part: str) -> list[Any]:
    return [... if one == "." else one for one in part.replace("...", ".")]


def _named(part: list[Any], one: torch.Tensor, sizes: dict[Any, int]) -> list[Any]:
    """The indices of an operand, an ellipsis spelled out; their sizes are noted."""
    hidden = one.dim() - sum(index is not ... for index in part)
    found = [
        name
        for index in part
        for name in ([("...", place - hidden) for place in range(hidden)] if index is ... else [index])
    ]
    for index, size in zip(found, one.shape, strict=True):
        sizes[index] = max(size, sizes.get(index, 1)) if sizes.get(index, 1) != 1 or size != 0 else 0
    return found


def contractions(given: Operands) -> tuple[int, float]:
    """Of einsum, operand by operand from the left: the largest result between, and all multiplications."""
    found = lettered(given)
    if found is None or not given.tensors:
        return 0, 0.0
    parts, asked, sizes = found
    held, most, work = list(parts[0]), 0, 0.0
    for place, part in enumerate(parts[1:], 1):
        later = {index for one in [*parts[place + 1 :], asked] for index in one}
        own = [index for index in dict.fromkeys([*held, *part]) if index in later or (index in held and index in part)]
        work += math.prod(float(sizes[index]) for index in own)
        held = [index for index in own if index in later]
        most = max(most, math.prod(sizes[index] for index in held))
    return most, work
