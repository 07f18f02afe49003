"""All that a close look tells of gradients. Small ones of one shape are taken together, in a few calls for all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from gradcli.training.watching.statistics import PART, trusted, widened

BUFFER = 1 << 20  # elements that may be copied at once


class Detail(NamedTuple):
    """Of one gradient: its norm, the mean of |g|, the share of elements that are not 0, the rows that have any."""

    norm: float
    mean: float
    filled: float
    living: torch.Tensor


def details(gradients: Sequence[torch.Tensor], sizes: Sequence[int]) -> list[Detail]:
    """The details of each gradient; `sizes` are those of the parameters. One small copy a device and dtype."""
    kinds: dict[tuple[torch.device, torch.dtype], tuple[list[int], list[torch.Tensor]]] = {}
    living: dict[int, torch.Tensor] = {}
    for places in _alike(gradients):
        together = torch.stack([gradients[i] for i in places]) if places[1:] else gradients[places[0]][None]
        numbers, rows = _numbers(widened(together))
        living.update(zip(places, rows.unbind(), strict=True))
        held, columns = kinds.setdefault((numbers.device, numbers.dtype), ([], []))
        held += places
        columns.append(numbers)
    found: dict[int, Detail] = {}
    for held, columns in kinds.values():
        lengths, totals, shares = torch.cat(columns, 1).tolist()
        for index, norm, total, share in zip(
            held, trusted([gradients[i] for i in held], lengths), totals, shares, strict=True
        ):
            found[index] = _detail(gradients[index], sizes[index], norm, total, share, living[index])
    return [found[index] for index in range(len(gradients))]


def _alike(gradients: Sequence[torch.Tensor]) -> list[list[int]]:
    """The places of small gradients of one kind, as many as may be copied at once; large ones alone."""
    open_: dict[tuple[Any, ...], list[int]] = {}
    found: list[list[int]] = []
    for index, one in enumerate(gradients):
        size, key = one.numel(), (one.shape, one.dtype, one.device)
        places = open_.get(key) if size <= PART else None
        if places is None or (len(places) + 1) * size > BUFFER:
            found.append(places := [])
            if size <= PART:
                open_[key] = places
        places.append(index)
    return found


def _numbers(together: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Of each of several gradients: norm, sum of |g|, share of elements that are not 0 (of a large one, in a part of
    its rows); and which rows have an element that is not 0.
    """
    count, units = len(together), together.shape[1] if together.dim() > 2 else 1
    rows = together.reshape(count, units, math.prod(together.shape[1:]) // max(units, 1))
    if rows.numel() <= BUFFER:
        absolute = rows.abs()
        sums, part = absolute.sum(2), _part(absolute)
        counts = part.sign().sum((1, 2))
    else:
        sums = torch.linalg.vector_norm(rows, 1, dim=2)
        part = _part(rows)
        counts = torch.linalg.vector_norm(part.flatten(1), 0, dim=1)
    lengths = torch.linalg.vector_norm(torch.linalg.vector_norm(rows, dim=2), dim=1)
    shares = counts / max(math.prod(part.shape[1:]), 1)
    return torch.stack([lengths, sums.sum(1), shares]), sums > 0


def _part(rows: torch.Tensor) -> torch.Tensor:
    """Some rows from all over a large gradient: enough to tell the share of zeros."""
    size = rows[0].numel()
    return rows if size <= PART else rows[:, :: size // PART]


def _detail(
    gradient: torch.Tensor, size: int, norm: float, total: float, share: float, living: torch.Tensor
) -> Detail:  # fmt: skip
    stored, size = gradient.numel(), max(size, 1)
    if not math.isfinite(norm):  # NaN has no sign
        share = float(torch.count_nonzero(gradient)) / stored
    return Detail(norm, total / size, min(share * stored / size, 1.0), living)
