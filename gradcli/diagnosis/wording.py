"""Numbers and elements as a sentence names them: A[0], A[3] and 5 more; 0, 0.25, inf."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from gradcli.language.program import Call

MOST = 3


def number(value: float) -> str:
    """A number in four digits, whole ones without a point."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e6:
        return str(int(value))
    return f"{value:.4g}"


def elements(name: str, mask: torch.Tensor) -> str:
    """The first few elements of a tensor that a mask holds, and how many more; its name where it is one number."""
    if mask.dim() == 0:
        return name
    places = mask.nonzero()[:MOST].tolist()
    count = int(mask.sum())
    shown = [f"{name}[{', '.join(map(str, place))}]" for place in places]
    if count > len(shown):
        return f"{', '.join(shown)} and {count - len(shown):,} more"
    return joined(shown)


def first(mask: torch.Tensor) -> tuple[int, ...]:
    """The place of the first element that a mask holds."""
    return tuple(mask.nonzero()[0].tolist()) if mask.dim() else ()


def place(name: str, index: int, shape: Iterable[int]) -> str:
    """An element by its place in row-major order: A[1, 2]; the name where there is only one number."""
    sizes = list(shape)
    if not sizes:
        return name
    found: list[int] = []
    for size in reversed(sizes):
        index, rest = divmod(index, size)
        found.insert(0, rest)
    return f"{name}[{', '.join(map(str, found))}]"


def called(source: str, step: Call) -> str:
    """What a sentence calls an operation: where(), or its text where it is no call."""
    return f"{step.path.rpartition('.')[2]}()" if step.style in ("function", "method") else source


def joined(words: list[str]) -> str:
    """A, B and C."""
    return " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}"
