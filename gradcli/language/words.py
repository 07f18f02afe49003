"""Python's own words on tensors: abs max min sum round pow len, and the casts that leave autograd."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradcli.language import numbers, slips
from gradcli.language.fit import Args
from gradcli.language.program import Call, Items, Keywords, Ref
from gradcli.language.scope import Scope
from gradcli.language.vocabulary import by_path
from gradcli.language.vocabulary.operators import BINARY, LENGTH

# Each gives an operand, or NotImplemented where torch's function of the name is meant.
Word = Callable[[Scope, ast.Call, Args, Keywords], Any]


def _greatest(scope: Scope, node: ast.Call, args: Args, kwargs: Keywords) -> Any:
    """max(A, 0) reads like relu and means dim=0: neither is guessed."""
    if len(args) == 2 and not kwargs and any(map(numbers.is_number, args)):
        name = node.func.id  # type: ignore[attr-defined]
        tensor, number = args if isinstance(args[0], Ref) else (args[1], args[0])
        place = node.args[0] if tensor is args[0] else node.args[1]
        text = scope.text(place)
        before_dot = f"({text})" if isinstance(place, (ast.BinOp, ast.UnaryOp, ast.Compare)) else text
        bound = "min" if name == "max" else "max"
        hint = f"write clamp({text}, {bound}={number}) for the {'larger' if name == 'max' else 'smaller'} of both"
        if not isinstance(number, int):
            raise scope.source.error("argument", f"{name}() of a tensor takes a dimension, not {number}", node, hint)
        hint += f", or {before_dot}.{name}(dim={number})"
        raise scope.source.error("argument", f"{name}({text}, {number}) can mean two things", node, hint)
    return NotImplemented


def _sum(scope: Scope, node: ast.Call, args: Args, kwargs: Keywords) -> Any:
    """sum([a, b]) adds its elements."""
    if len(args) != 1 or kwargs or not isinstance(args[0], Items) or not args[0].elements:
        return NotImplemented
    total, *rest = args[0].elements
    for one in rest:
        if numbers.is_number(total) and numbers.is_number(one):
            total = scope.located(node, numbers.fold, "+", total, one)
        else:
            total = scope.add(
                Call(BINARY["+"], BINARY["+"].paths[0], "operator", (total, one), (), scope.source.span(node))
            )
    return total


def _round(scope: Scope, node: ast.Call, args: Args, kwargs: Keywords) -> Any:
    """round(A, 2) rounds to decimals, as Python's own does."""
    if len(args) != 2 or kwargs or not isinstance(args[0], Ref):
        return NotImplemented
    found = by_path()["torch.round"]
    return scope.add(
        Call(found, "torch.round", "function", args[:1], (("decimals", args[1]),), scope.source.span(node))
    )


def _length(scope: Scope, node: ast.Call, args: Args, kwargs: Keywords) -> Any:
    if len(args) != 1 or kwargs or not isinstance(args[0], Ref):
        raise scope.source.error("argument", "len() takes one tensor", node)
    return scope.add(Call(LENGTH, LENGTH.paths[0], "function", args, (), scope.source.span(node)))


def _cast_out(scope: Scope, node: ast.Call, args: Args, _: Keywords) -> Any:
    """float('inf') is a number; float(A) takes one out of autograd."""
    name = node.func.id  # type: ignore[attr-defined]
    if len(args) == 1 and isinstance(args[0], str) and name == "float":
        try:
            return float(args[0])
        except ValueError:
            raise scope.source.error("argument", f"'{args[0]}' is not a number", node, "float('inf')") from None
    if name == "complex" and args and isinstance(args[0], Ref):
        return NotImplemented
    raise scope.source.error(
        "autograd",
        f"{name}() gives {slips.CASTS_OUT[name]}, which autograd cannot follow",
        node,
        "leave it out",
        "G108",
    )


WORDS: dict[str, Word] = {
    "max": _greatest, "min": _greatest, "sum": _sum, "round": _round, "len": _length,
    "float": _cast_out, "int": _cast_out, "bool": _cast_out, "complex": _cast_out,
}  # fmt: skip
