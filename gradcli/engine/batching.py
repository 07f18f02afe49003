"""A function of vectors, called once for many of them: torch's vmap without its search through nested arguments.

That search takes longer than the backward pass of a small expression. Where a torch lacks the functions that vmap
itself is made of, vmap is called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

Pull = Callable[..., Sequence[torch.Tensor]]


def batched(function: Pull, *vectors: torch.Tensor, randomness: str = "error") -> list[torch.Tensor]:
    """The results for all vectors, stacked: each of `vectors` has them along its first dimension.

    `randomness`: `error`, or `same` draws for all. Raises what torch raises where it cannot batch a step.
    """
    try:
        from torch._C import _functorch as parts

        enter, leave = parts._vmap_increment_nesting, parts._vmap_decrement_nesting
        add, remove = parts._add_batch_dim, parts._remove_batch_dim
    except (ImportError, AttributeError):
        return list(torch.func.vmap(function, randomness=randomness)(*vectors))
    count = len(vectors[0])
    level = enter(count, randomness)
    try:
        return [remove(one, level, count, 0) for one in function(*(add(one, 0, level) for one in vectors))]
    finally:
        leave()
