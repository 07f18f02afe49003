"""Gradients that can be read as numbers, and computed with."""

from __future__ import annotations

from collections.abc import Iterable

import torch


def readable(gradient: torch.Tensor) -> torch.Tensor:
    """A gradient made whole: sparse ones, and zeros that torch keeps no memory for, as sgn's; others are as they were.

    >>> readable(torch.eye(2).to_sparse()).layout
    torch.strided
    """
    if gradient.layout != torch.strided:
        return gradient.to_dense()
    return gradient.clone() if gradient._is_zerotensor() else gradient


def all_readable(found: Iterable[torch.Tensor | None]) -> list[torch.Tensor | None]:
    """The same for what torch.autograd.grad gives, which is None where nothing arrives."""
    return [None if one is None else readable(one) for one in found]


def computable(tensor: torch.Tensor) -> torch.Tensor:
    """The same numbers in a dtype that torch computes with: of eight bits it only stores them."""
    return tensor.float() if tensor.is_floating_point() and tensor.itemsize == 1 else tensor
