"""Where a script's text writes to a tensor in place, and what can be written there instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradcli.training.script.source import Source


def writes(source: Source) -> Iterator[tuple[int, str]]:
    """The lines that write to a tensor in place, and its name."""
    for node in ast.walk(source.tree):
        target = _target(node)
        if target is None and isinstance(node, ast.Call) and any(one.arg == "inplace" for one in node.keywords):
            target = next(iter(node.args), None)
        while isinstance(target, (ast.Subscript, ast.Attribute)):
            target = target.value
        if isinstance(target, ast.Name):
            yield node.lineno, target.id  # type: ignore[attr-defined]


def instead(source: Source, number: int) -> tuple[str, dict[str, str]]:
    """How a line could write out of place: the situation that the catalogue has a sentence for, and its facts."""
    for node in ast.walk(source.tree):
        if not (getattr(node, "lineno", number + 1) <= number <= (getattr(node, "end_lineno", 0) or 0)):
            continue
        target = _target(node)
        if isinstance(target, ast.Subscript):
            while isinstance(target, ast.Subscript):
                target = target.value
            return "part", {"name": ast.unparse(target)}
        if isinstance(node, ast.AugAssign):
            whole = ast.Assign([node.target], ast.BinOp(node.target, node.op, node.value), lineno=number)
            return "whole", {"text": ast.unparse(whole)}
        if target is not None and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return "method", {"method": node.func.attr.removesuffix("_")}
    return "module", {}


def _target(node: ast.AST) -> ast.expr | None:
    """What a statement or call writes to in place."""
    if isinstance(node, ast.AugAssign):
        return node.target
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return node.targets[0]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name.endswith("_") and not name.endswith("__") and name != "requires_grad_":
            return node.func.value
    return None
