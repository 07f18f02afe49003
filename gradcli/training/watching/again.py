"""Operations of a graph computed again, whichever they are, from what their nodes kept of their operands.

A node of torch's own names what it saved as its operation names its arguments. An operand that was not saved is what
the node before gave, where that is a leaf or has kept its result.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import torch

from gradcli.training.watching.birth import Saved, saved
from gradcli.training.watching.graph import kind

SAVED = "_saved_"
_GIVEN = ("result", "output", "out", "values", "L", "U", "Q", "S")  # what an operation gave, not what it was given
_LARGEST = 2**63  # of a signed number: torch shows -1 as 2**64 - 1
MASKED = "a row that is masked throughout"
UNKEPT = "operands that backward does not keep"


def kept(node: Any) -> tuple[Saved, Saved]:
    """What a node has saved: its operands, and its results."""
    names = tuple(name for name in dir(node) if name.startswith(SAVED))
    found = saved(node, names)
    given = [one for one in found if one[0].rstrip("0123456789") in _GIVEN]
    return [one for one in found if one[0].rstrip("0123456789") not in _GIVEN], given


def again(node: Any) -> torch.Tensor | None:
    """The result of an operation, computed again; None where too little of it was kept."""
    if not node.name()[-1].isdigit():  # a function of the user's own
        return None
    known = {name: _signed(value) for name, value in kept(node)[0]}
    for function in _functions(node):
        arguments = _arguments(function._schema, known, node)
        if arguments is not None:
            try:
                with torch.no_grad(), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # the script has had them
                    result = function(**arguments)
            except (TypeError, RuntimeError, ValueError):  # another overload, or more is needed than was saved
                continue
            first = result[0] if isinstance(result, (tuple, list)) and result else result
            return first if isinstance(first, torch.Tensor) else None
    return None


def masked(node: Any) -> bool:
    """Whether a softmax met a row of nothing but minus infinity."""
    if kind(node) not in ("Softmax", "LogSoftmax"):
        return False
    before = node.next_functions[0][0]
    mask = dict(kept(before)[0]).get("mask") if before is not None else None
    if isinstance(mask, torch.Tensor):
        return bool(mask.all(_signed(node._saved_dim)).any()) if mask.dim() else bool(mask)
    met = _given(before)
    return met is not None and bool((met == -torch.inf).all(_signed(node._saved_dim)).any())


def _functions(node: Any) -> Iterator[Any]:
    """Torch's functions of the name of a node, which neither write nor draw random numbers."""
    plain, snake = kind(node).lower(), _snake(kind(node))
    family = next((one for one in ("special", "linalg", "fft") if plain.startswith(one)), None)
    named = [f"{family}_{plain.removeprefix(family)}"] if family else []
    for name in dict.fromkeys((plain, snake, *named)):
        packet = getattr(torch.ops.aten, name, None) if name.isidentifier() else None
        for overload in packet.overloads() if packet is not None else ():
            function = getattr(packet, overload)
            if not function._schema.is_mutable and torch.Tag.nondeterministic_seeded not in function.tags:
                yield function


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() and index else c.lower() for index, c in enumerate(name))


def _arguments(schema: Any, known: dict[str, Any], node: Any) -> dict[str, Any] | None:
    """The arguments of a call, by name; None where one of them is not to be had."""
    found: dict[str, Any] = {}
    place = 0
    for one in schema.arguments:
        tensor = str(one.type) in ("Tensor", "Optional[Tensor]")
        value = known.get(one.name)
        if value is None and tensor and place < len(node.next_functions):
            value = _given(node.next_functions[place][0])
        place += tensor
        if value is not None:
            found[one.name] = value
        elif not one.has_default_value():
            return None
    return found


def _given(node: Any) -> torch.Tensor | None:
    """What a node gave: a leaf, or the one result that it has kept."""
    if node is None:
        return None
    leaf = getattr(node, "variable", None)
    if leaf is not None:
        return leaf.detach()  # type: ignore[no-any-return]
    results = [value for name, value in kept(node)[1] if isinstance(value, torch.Tensor) and name in ("result", "out")]
    return results[0].detach() if len(results) == 1 else None


def _signed(value: Any) -> Any:
    """A number or a tuple of them as they were written."""
    if isinstance(value, int) and value >= _LARGEST:
        return value - 2 * _LARGEST
    if isinstance(value, tuple):
        return tuple(map(_signed, value))
    return value.detach() if isinstance(value, torch.Tensor) else value
