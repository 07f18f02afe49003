"""Which names a statement gives which values."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def bound(one: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The names that a statement gives a value, and flags that it sets on one."""
    if isinstance(one, ast.Assign):
        for target in one.targets:
            yield from _targets(target, one.value)
    elif isinstance(one, ast.AugAssign):
        whole = ast.copy_location(ast.BinOp(_loaded(one.target), one.op, one.value), one)
        yield from _targets(one.target, ast.fix_missing_locations(whole))
    elif isinstance(one, ast.AnnAssign) and one.value is not None:
        yield from _targets(one.target, one.value)
    elif isinstance(one, ast.For):
        yield from _targets(one.target, one.iter)
    elif isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and isinstance(one.value.func, ast.Attribute):
        owner, method = one.value.func.value, one.value.func.attr
        if isinstance(owner, ast.Name) and (method.endswith("_") and not method.startswith("_")):
            yield owner.id, one.value
        elif isinstance(owner, ast.Name) and method in {"append", "add", "extend"}:
            for argument in one.value.args:
                yield owner.id, argument


def _targets(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        values = (
            value.elts if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts) else None
        )
        for index, one in enumerate(target.elts):
            yield from _targets(one, values[index] if values else value)
    elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        if target.attr == "requires_grad":
            called = ast.Attribute(_loaded(target.value), "requires_grad_", ast.Load())
            yield target.value.id, ast.fix_missing_locations(ast.copy_location(ast.Call(called, [], []), target))
    elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        yield target.value.id, value


def _loaded(target: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Name(target.id, ast.Load()), target) if isinstance(target, ast.Name) else target
