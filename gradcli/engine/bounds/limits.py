"""Whole numbers that decide how much a function does, where they come as numbers or tensors of the evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from gradcli.errors import GradcliError
from gradcli.language.program import Call
from gradcli.language.signature import alternatives


def check_limits(step: Call, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Raise GradcliError of kind bounds where a number is above the limit of its row."""
    limits = step.function.limits
    for names, value in _named(step, args, kwargs):
        for name in names & limits.keys():
            if any(number > limits[name] for number in _sizes(value)):
                message = f"{name} of {step.function.name}() is at most {limits[name]:,} here"
                raise GradcliError("bounds", message, span=step.span, hint="its cost grows with this number")


def _named(step: Call, args: list[Any], kwargs: dict[str, Any]) -> Iterator[tuple[set[str], Any]]:
    lists = alternatives(step.function.signature)
    for index, value in enumerate(args):
        yield {one.positional[index] for one in lists if index < len(one.positional)}, value
    for name, value in kwargs.items():
        yield {name}, value


def _sizes(value: Any) -> Iterator[float]:
    if isinstance(value, (int, float)):
        yield abs(value)
    elif not isinstance(value, torch.Tensor) or value.is_complex() or not value.numel():
        return
    elif value.numel() == 1:
        yield abs(float(value.detach()))
    else:
        yield float(value.detach().double().abs().max())
