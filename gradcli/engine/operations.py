"""From a step of a program to a call of torch: the only place where names of the vocabulary become functions."""

from __future__ import annotations

import builtins
import operator
import reprlib
from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from gradcli.engine.lists import admit_list
from gradcli.language.program import Call, Items, Named, Operand, Ref, SliceOf
from gradcli.language.scope import PYTHON_TYPES

_ROOTS: dict[str, Any] = {"torch": torch, "operator": operator, "builtins": builtins}


@cache
def resolve(path: str) -> Any:
    """What a dotted name of the vocabulary means; never called with a user's text."""
    if path in PYTHON_TYPES:
        return getattr(builtins, path)
    if path == "Ellipsis":
        return ...
    root, *parts = path.split(".")
    value = _ROOTS[root]
    for part in parts:
        value = getattr(value, part)
    return value


def operand_value(operand: Operand, values: list[Any]) -> Any:
    """The value of an operand, given those of the earlier steps."""
    if isinstance(operand, Ref):
        return values[operand.step]
    if isinstance(operand, Items):
        elements = [operand_value(one, values) for one in operand.elements]
        admit_list(elements)
        return elements if operand.kind == "list" else tuple(elements)
    if isinstance(operand, SliceOf):
        return slice(*(operand_value(one, values) for one in (operand.start, operand.stop, operand.step)))
    if isinstance(operand, Named):
        return resolve(operand.path)
    return operand


def callable_of(step: Call) -> Callable[..., Any]:
    """The function that a step calls on its operands."""
    if step.style == "attribute":
        return operator.attrgetter(step.function.name)
    if step.style == "field":
        return _field(step.path)
    return resolve(step.path)  # type: ignore[no-any-return]


@cache
def _field(name: str) -> Callable[[Any], Any]:
    def field(value: Any) -> Any:
        if not isinstance(value, (tuple, torch.finfo, torch.iinfo)) or not hasattr(type(value), name):
            raise TypeError(f"this is {described(value)}, which has no field '{name}'")
        return getattr(value, name)

    return field


def described(value: Any) -> str:
    """What a value is, for a message: a tensor with its shape, or the name of its type."""
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {shape_text(value.shape)}"
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def brief(value: Any) -> str:
    """A value in at most sixty characters on one line; of a list, its first things."""
    return " ".join(_BRIEF.repr(value).split())[:60]


_BRIEF = reprlib.Repr()
_BRIEF.maxlevel, _BRIEF.maxlist, _BRIEF.maxtuple, _BRIEF.maxother, _BRIEF.maxlong = 3, 4, 4, 60, 60


def shape_text(shape: Any) -> str:
    """A shape as people write it: (2×3), (5), or () for a number."""
    return f"({'×'.join(map(str, shape))})"
