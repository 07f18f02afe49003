"""The operands of a step under the names of its parameters: what a row is called with."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from gradcli.engine.checking.exact.array import Array
from gradcli.engine.checking.exact.number import Unknown
from gradcli.language.program import Call
from gradcli.language.signature import fitting

# Parameters that change nothing where they have one of these values.
_IDLE: dict[str, tuple[Any, ...]] = {
    "inplace": (False, True), "size_average": (None,), "reduce": (None,), "generator": (None,), "driver": (None,),
    "dtype": (None, torch.float64), "out_dtype": (None, torch.float64),
}  # fmt: skip


def bound(
    step: Call, row: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """What to call a row with: by the names of its own parameters, or in order where it does not tell them.

    Raises Unknown where the call does not fit what the row takes.
    """
    for one in fitting(step.function, step.path, len(args), kwargs):
        if one.star:
            return args, kwargs
        given = dict(zip(one.positional, args, strict=False)) | {
            one.known(name) or name: value for name, value in kwargs.items()
        }
        if all(_plausible(name, value, step.function.name) for name, value in given.items()):
            return _called(row, {name: value for name, value in given.items() if not _idle(name, value)})
    raise Unknown


def _plausible(name: str, value: Any, function: str) -> bool:
    """Whether torch would take a value for a parameter: some lists differ by nothing but its type."""
    tensor = isinstance(value, (Array, torch.Tensor))
    if name == "dim":
        return not tensor and not isinstance(value, bool)
    if name in ("unbiased", "keepdim"):
        return isinstance(value, bool)
    return tensor or name != "other" or function not in ("max", "min")


def _idle(name: str, value: Any) -> bool:
    if name not in _IDLE:
        return False
    if not any(value is one for one in _IDLE[name]):
        raise Unknown
    return True


def _called(row: Callable[..., Any], given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    names = _names(row)
    if names is None:
        return list(given.values()), {}
    if "self" in given:
        given = {("input" if name == "self" else name): value for name, value in given.items()}
    first = next(iter(given))
    if first not in names:  # torch has several names for the first operand
        given = {names[0] if name == first else name: value for name, value in given.items()}
    if not names[-1].startswith("*") and not given.keys() <= set(names):
        raise Unknown
    return [], given


@cache
def _names(row: Callable[..., Any]) -> list[str] | None:
    """The parameters of a row; None where it takes them in order only, as the functions of mpmath and Python do."""
    if not hasattr(row, "__code__") or getattr(row, "__module__", "").startswith("mpmath"):
        return None
    kinds = inspect.signature(row).parameters.values()
    return [f"*{one.name}" if one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL) else one.name for one in kinds]
