"""What clipping saw: the norm, if it was by norm, and whether the gradients were still scaled.

torch groups gradients by device in the middle of its clipping functions. That call is noticed, so that neither the
function's own errors nor its warnings pass through a frame of gradcli.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.utils import clip_grad as module

NAME = "_group_tensors_by_device_and_dtype"

Clipped = Callable[[Any, torch.Tensor | None], None]

CLIPPERS = ("_clip_grads_with_norm_", "clip_grad_value_")


def install(clipped: Clipped) -> Callable[[], None]:
    """Call `clipped(gradients, norm)` before gradients are clipped; returns the undoing."""
    namespace = vars(module)
    group = namespace.get(NAME)
    if group is None:
        return lambda: None

    def grouped(*arguments: Any, **keywords: Any) -> Any:
        frame = sys._getframe(1)
        if frame.f_code.co_name in CLIPPERS:
            held = frame.f_locals
            gradients, norm = held.get("grads"), held.get("total_norm")
            if type(held) is dict:
                held.clear()
            if isinstance(gradients, list) and gradients:
                clipped(gradients, norm if isinstance(norm, torch.Tensor) else None)
        return group(*arguments, **keywords)

    namespace[NAME] = grouped

    def remove() -> None:
        if namespace[NAME] is grouped:
            namespace[NAME] = group

    return remove
