"""The tensors among a script's variables, as plain facts and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch

from gradcli.engine.readable import computable, readable
from gradcli.numerals import nested
from gradcli.seen import MOST, WHOLE, Numbers, SeenTensor
from gradcli.summary import summarise


def named_tensors(variables: Mapping[str, object]) -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor among variables, by name, in the order in which they were first bound."""
    for name, value in list(variables.items()):
        if isinstance(value, torch.Tensor) and not name.startswith("__"):
            yield name, value


def seen(name: str, tensor: torch.Tensor) -> SeenTensor:
    """The facts of a tensor; nothing of it is kept alive."""
    grad = gradient_of(tensor)
    return SeenTensor(
        name, numbers_of(tensor), shape_of(tensor), str(tensor.dtype).removeprefix("torch."), str(tensor.device),
        tensor.requires_grad, tensor.is_leaf, tensor.grad_fn.name() if tensor.grad_fn is not None else None,
        None if grad is None else numbers_of(grad),
    )  # fmt: skip


def shape_of(tensor: torch.Tensor) -> tuple[int, ...]:
    """The sizes that are numbers: a nested tensor has others, a parameter that is not initialized has none."""
    try:
        return tuple(size for size in tensor.shape if type(size) is int)
    except RuntimeError:
        return ()


def gradient_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """`.grad` where a tensor can have one: torch warns of reading it elsewhere."""
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


def numbers_of(tensor: torch.Tensor) -> Numbers:
    """The elements of a tensor, or their summary; neither where torch cannot read it as numbers."""
    try:
        plain = computable(tensor.detach())
        if plain.layout != torch.strided:
            if plain.numel() > MOST:
                return Numbers(None)
            plain = readable(plain)
        summary = summarise(plain) if plain.numel() > WHOLE else None
        return Numbers(nested(plain, lambda one: one) if plain.numel() <= MOST else None, summary)
    except (RuntimeError, NotImplementedError, TypeError, ValueError):  # of the meta device, nested, not initialized
        return Numbers(None)
