"""The numbers of a sweep: the value and the gradients at each of many points, put together from parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch


class Numbers(NamedTuple):
    """The value at each point, and for each swept input its gradient there: None where backward leaves none."""

    value: torch.Tensor
    grads: dict[str, torch.Tensor | None]


def stacked(found: Sequence[Numbers | None], like: Numbers) -> Numbers:
    """The numbers of single points in one; NaN where there are none, of the shapes of `like`."""
    missing = Numbers(_nan(like.value), {name: None if one is None else _nan(one) for name, one in like.grads.items()})
    each = [one or missing for one in found]
    grads = {}
    for name, one in like.grads.items():
        parts = [part for numbers in each if (part := numbers.grads[name]) is not None]
        grads[name] = None if one is None or len(parts) < len(each) else torch.cat(parts)
    return Numbers(torch.cat([one.value for one in each]), grads)


def _nan(like: torch.Tensor) -> torch.Tensor:
    numeric = like.is_floating_point() or like.is_complex()
    return torch.full_like(like, torch.nan) if numeric else torch.full(like.shape, torch.nan)


def allocated(like: Numbers, count: int) -> Numbers:
    """Memory for the numbers at so many points."""
    return Numbers(
        like.value.new_empty((count, *like.value.shape[1:])),
        {name: None if one is None else one.new_empty((count, *one.shape[1:])) for name, one in like.grads.items()},
    )


def put(whole: Numbers, part: Numbers, start: int, stop: int) -> None:
    """Write the numbers of the points `start:stop` into those of all."""
    whole.value[start:stop] = part.value
    for name, one in whole.grads.items():
        given = part.grads[name]
        if one is not None and given is not None:
            one[start:stop] = given
