"""What a reader gives back."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True, eq=False, slots=True)
class Read:
    """A tensor on the CPU, and how a script would get it. `written`: numbers in text, which have no dtype yet."""

    tensor: torch.Tensor
    code: str
    imports: tuple[str, ...] = ()
    written: bool = False
