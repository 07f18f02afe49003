"""Before and after each step of any optimizer, and when one is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.optim import optimizer as module

Hook = Callable[[Any, Any, Any], None]


def install(before: Hook, after: Hook, made: Callable[[Any], None]) -> Callable[[], None]:
    """Call `before` and `after` around steps, `made` with a new optimizer, still empty; returns the undoing."""
    handles = [module.register_optimizer_step_pre_hook(before), module.register_optimizer_step_post_hook(after)]
    patch = getattr(torch.optim.Optimizer, "_patch_step_function", None)
    if patch is not None:

        def patched(self: Any) -> None:
            patch(self)
            made(self)

        torch.optim.Optimizer._patch_step_function = patched  # type: ignore[method-assign]

    def remove() -> None:
        for handle in handles:
            handle.remove()
        if patch is not None and torch.optim.Optimizer._patch_step_function is patched:
            torch.optim.Optimizer._patch_step_function = patch  # type: ignore[method-assign]

    return remove


def parameters(optimizer: Any) -> list[torch.Tensor]:
    """The parameters that an optimizer holds, group after group."""
    return [one for group in optimizer.param_groups for one in group["params"]]


def gradients(optimizer: Any) -> list[torch.Tensor | None]:
    """The gradients of its parameters."""
    return [one.grad for group in optimizer.param_groups for one in group["params"]]


def rate(optimizer: Any) -> float | None:
    """The largest learning rate of its groups; None where it has none, or one that is not at hand."""
    found = [group.get("lr") for group in optimizer.param_groups]
    known = [float(one) for one in found if isinstance(one, (int, float)) or _at_hand(one)]
    return max(known, default=None)


def _at_hand(rate: Any) -> bool:
    return isinstance(rate, torch.Tensor) and rate.device.type == "cpu" and rate.numel() == 1


def evaluations(optimizer: Any) -> int:
    """How often an optimizer that counts that, as LBFGS does, has evaluated its closures."""
    first = next((one for group in optimizer.param_groups for one in group["params"]), None)
    return int(optimizer.state.get(first, {}).get("func_evals", 0))


def closed(arguments: Any, keywords: Any) -> bool:
    """Whether a step was given a closure, which runs backward inside of it; the first argument is the optimizer."""
    if len(arguments) == 1 and not keywords:
        return False
    return any(callable(one) for one in (*arguments[1:], *keywords.values()))
