"""Lists, tuples and other values that are no tensors: what may be made of them, so that none outgrows its text.

A name may stand in a list twice, and that list in another one twice: every walk over it visits each place.
"""

from __future__ import annotations

from typing import Any

import torch

from gradcli.errors import GradcliError
from gradcli.language.program import Call
from gradcli.language.vocabulary.operators import SYMBOL_OF

MOST = 100_000  # things in a list, those in its lists counted
DEEPEST = 64  # lists in lists: as many dimensions as a tensor can have


def admit_list(elements: list[Any]) -> None:
    """Raise GradcliError of kind bounds where the lists in a list hold too much, or too many lists in lists."""
    inner: list[Any] = [one for one in elements if isinstance(one, (list, tuple))]
    count, depth = len(elements), 1
    while inner and count <= MOST and depth <= DEEPEST:
        count += sum(map(len, inner))
        depth += 1
        inner = [one for outer in inner for one in outer if isinstance(one, (list, tuple))] if count <= MOST else []
    if count > MOST:
        raise GradcliError("bounds", f"a list holds at most {MOST:,} things, and this one more", hint="use a tensor")
    if depth > DEEPEST:
        raise GradcliError("bounds", f"lists are nested at most {DEEPEST} deep", hint="use a tensor")


def admit_operator(step: Call, args: list[Any]) -> None:
    """Raise GradcliError of kind value where an operator is given what is neither tensor nor number.

    Shapes may be added to each other, and anything compared for equality.
    """
    symbol = SYMBOL_OF.get(step.function.name, step.function.name)
    if step.style == "store":
        if not isinstance(args[0], torch.Tensor):
            raise _refused(step, "only a tensor can be written into", args[0])
        return
    if symbol in {"@", "@="} and not any(isinstance(one, torch.Tensor) for one in args):
        raise _refused(step, f"'{symbol}' multiplies matrices, not {_plain(args[0])}", args[0])
    odd = [one for one in args if not isinstance(one, (torch.Tensor, int, float, complex))]
    if not odd or symbol in {"==", "!="}:
        return
    if symbol != "+" or not all(isinstance(one, torch.Size) for one in args):
        raise _refused(step, f"'{symbol}' does not work on {_plain(odd[0])}", odd[0])
    if sum(map(len, args)) > DEEPEST:
        raise GradcliError("bounds", f"a shape has at most {DEEPEST} sizes", span=step.span)


def _refused(step: Call, message: str, value: Any) -> GradcliError:
    hint = "make a tensor of it: tensor([...]) or stack([...])" if isinstance(value, (list, tuple)) else None
    return GradcliError("value", message, span=step.span, hint=hint)


def _plain(value: Any) -> str:
    """What a value is, in a word or two."""
    if isinstance(value, (int, float, complex)):
        return "numbers"
    name = type(value).__name__
    return {"list": "a list", "tuple": "a tuple", "Size": "a shape", "str": "text"}.get(name, f"a {name}")
