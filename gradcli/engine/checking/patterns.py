"""What a wrong gradient looks like: its sign, a factor, a transpose, gradients of two inputs in each other's place."""

from __future__ import annotations

import math

import torch

from gradcli.engine.checking.witnesses import Witnesses

SAME = 1e-6  # of the largest element


def pattern(witnesses: tuple[Witnesses, ...]) -> str | None:
    """A clause on how the gradients differ from the differences, where that has a simple form."""
    pairs = {
        one.name: (_shaped(one, one.taken), _shaped(one, [slope.value for slope in one.numeric])) for one in witnesses
    }
    for name, (have, want) in pairs.items():
        if have.numel() and not _alike(have, want):
            return _of_one(name, have, want) or _swapped(name, pairs) or _few(name, have, want)
    return None


def _shaped(one: Witnesses, values: list[float]) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64).reshape(one.shape)


def _alike(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and bool((a - b).abs().max() <= SAME * torch.maximum(a.abs(), b.abs()).max())


def _of_one(name: str, have: torch.Tensor, want: torch.Tensor) -> str | None:
    if not bool(have.isfinite().all() and want.isfinite().all()):
        return None
    if not bool(have.any()):
        return f"nothing of the gradient of {name} arrives"
    if _alike(have, -want):
        return "the sign is wrong"
    if have.dim() >= 2 and have.shape[-1] == have.shape[-2] > 1 and _alike(have, want.mT):
        return f"the gradient of {name} is transposed"
    factor = float((have * want).sum() / (want * want).sum()) if bool(want.any()) else math.nan
    if have.numel() > 1 and math.isfinite(factor) and factor != 0 and _alike(have, factor * want):
        return f"every element is {factor:.6g} times what it should be"
    if have.numel() == 1 and math.isfinite(factor) and _round(factor):
        return f"it is {factor:.6g} times what it should be"
    return None


def _round(factor: float) -> bool:
    """Whether a factor is a whole number, or one over a whole number."""
    return any(
        abs(one - round(one)) < SAME and 1 < abs(round(one)) < 100 for one in (factor, 1 / factor if factor else 0.0)
    )


def _swapped(name: str, pairs: dict[str, tuple[torch.Tensor, torch.Tensor]]) -> str | None:
    have, want = pairs[name]
    for other, (theirs, due) in pairs.items():
        if other != name and _alike(have, due) and _alike(theirs, want):
            return f"the gradients of {name} and {other} are in each other's place"
    return None


def _few(name: str, have: torch.Tensor, want: torch.Tensor) -> str | None:
    """Only some of many elements differ."""
    off = (have - want).abs() > SAME * torch.maximum(have.abs(), want.abs()).max()
    count, of = int(off.sum()), off.numel()
    return f"{count} of {of} elements of {name} differ" if 0 < count <= of // 2 else None
