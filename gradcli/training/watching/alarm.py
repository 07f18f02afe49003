"""The look that every step gets: is a small gradient near the input finite? What is not gets there on the way back."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from gradcli.training.watching.groups import Group
from gradcli.training.watching.statistics import finite, plain

NEAR = 4  # parameters nearest the input, of which the smallest is looked at
SMALL = 65_536  # elements that may be looked at in every step
FEW = 512  # elements that Python adds up sooner than torch

NONE = -1  # no gradient can be looked at


def choose(group: Group, gradients: Sequence[torch.Tensor | None]) -> None:
    """Choose the gradient that stands for all of a group's: the smallest of the first few."""
    near = [(place, one) for place, one in enumerate(gradients[: 2 * NEAR]) if one is not None][:NEAR]
    sizes = {place: one.numel() for place, one in near if _readable(one)}
    group.sentinel = min(sizes, key=sizes.__getitem__, default=NONE)


def alarmed(group: Group, gradients: Sequence[torch.Tensor | None]) -> bool:
    """Whether the gradient that was chosen is not finite."""
    place = group.sentinel
    one = gradients[place] if 0 <= place < len(gradients) else None
    if one is None or not one.is_cpu or one.layout is not torch.strided:
        return False
    if one.dim() == 1 and one.numel() <= FEW:
        return not math.isfinite(sum(one.tolist()))
    return not math.isfinite(one.sum().item()) and not finite(one)


def _readable(one: torch.Tensor) -> bool:
    return (
        plain(one) and one.is_cpu and one.layout is torch.strided and one.is_floating_point() and one.numel() <= SMALL
    )
