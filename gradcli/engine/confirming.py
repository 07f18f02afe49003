"""Whether a batch of products can be believed: torch's own batching rules are silently wrong for some steps.

The rows of a batch, summed with unequal weights, must be what one product with these weights gives. Rules depend on
operations, shapes and dtypes and not on values: a graph whose like has held in this process is not checked again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch

from gradcli.engine.nodes import nodes

CONFIRMED: set[tuple[Any, ...]] = set()
_MOST = 1024  # graphs to remember


def remember(key: tuple[Any, ...]) -> None:
    """A graph whose batch was right."""
    if len(CONFIRMED) >= _MOST:
        CONFIRMED.clear()
    CONFIRMED.add(key)


def signature(result: torch.Tensor) -> tuple[Any, ...]:
    """The operations that a result was recorded with, in the order of a walk, its shape and dtype."""
    return (result.shape, result.dtype, *(node.name() for node in nodes((result,))))


@lru_cache(64)
def mixed(count: int) -> torch.Tensor:
    """So many unequal weights, between 0.5 and 2.5."""
    return 1.5 + torch.arange(0.7, 0.7 * (count + 0.5), 0.7, dtype=torch.float64).sin()


def agrees(rows: torch.Tensor, direct: torch.Tensor, weights: torch.Tensor) -> bool:
    """Whether the weighted sum of rows is `direct`, to the rounding of a sum that large; not where it is not finite."""
    flat = rows.reshape(len(rows), -1)
    if not flat.numel():
        return True
    flat = flat if flat.itemsize > 2 else flat.float()
    eps = torch.finfo(rows.dtype).eps
    off = (weights.to(flat) @ flat).sub_(direct.reshape(-1)).abs().max()
    most = float(flat.abs().max())
    return bool(float(off) <= 8 * (len(rows) * eps) ** 0.5 * most + 8 * eps)
