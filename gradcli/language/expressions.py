"""Expressions to operands and steps: one row for each kind of node, walked without recursion."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gradcli.language import numbers, slips
from gradcli.language.calls import Walk, lower_call
from gradcli.language.members import attribute, subscript
from gradcli.language.program import Call, Items, Named, Operand, Ref
from gradcli.language.scope import Scope
from gradcli.language.vocabulary.function import Function
from gradcli.language.vocabulary.operators import BINARY, COMPARISON, UNARY

SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


def lower(scope: Scope, node: ast.expr) -> Operand:
    """The operand that an expression means; its steps are added to the scope in the order of evaluation."""
    if type(node) in LEAVES:
        return LEAVES[type(node)](scope, node)
    stack = [_start(scope, node)]
    value: Operand = None
    while stack:
        try:
            child = stack[-1].send(value)
        except StopIteration as done:
            stack.pop()
            value = done.value
            continue
        if type(child) in LEAVES:
            value = LEAVES[type(child)](scope, child)
        else:
            stack.append(_start(scope, child))
            value = None
    return value


def _start(scope: Scope, node: ast.expr) -> Walk:
    begin = NODES.get(type(node))
    if begin is None:
        name = type(node).__name__
        message, hint = slips.REFUSED.get(name, (f"{name} is not part of the language", None))
        raise scope.source.error("syntax", message, node, hint)
    return begin(scope, node)


def operation(scope: Scope, node: ast.expr, function: Function, *operands: Operand) -> Operand:
    """The step of an operator; numbers alone are computed at once."""
    if all(map(numbers.is_number, operands)) and function.name != "@":
        if len(operands) == 1:
            return scope.located(node, numbers.fold_unary, SYMBOLS[type(node.op)], *operands)  # type: ignore[no-any-return, attr-defined]
        return scope.located(node, numbers.fold, function.name, *operands)  # type: ignore[no-any-return]
    for operand in operands:
        if not isinstance(operand, Ref) and not numbers.is_number(operand):
            shown = {Items: "a list or tuple", str: "a string", Named: "a dtype"}.get(type(operand), f"{operand}")
            hint = "make a tensor of it: tensor([...])" if isinstance(operand, Items) else None
            raise scope.source.error("syntax", f"'{function.name}' does not work on {shown}", node, hint)
    return scope.add(Call(function, function.paths[0], "operator", operands, (), scope.source.span(node)))


def _constant(scope: Scope, node: ast.Constant) -> Operand:
    if node.value is Ellipsis or isinstance(node.value, bytes):
        raise scope.source.error("syntax", f"{node.value!r} cannot stand here", node)
    if isinstance(node.value, (float, complex)) and abs(node.value) == float("inf"):
        raise scope.source.error(
            "bounds", "this number is too large for a float64", node, "numbers end near 1.8e308; infinity is inf"
        )
    if isinstance(node.value, int):
        scope.located(node, numbers.checked, node.value)
    return node.value


def _unary(scope: Scope, node: ast.UnaryOp) -> Walk:
    symbol = _symbol(scope, node, node.op)
    operand = yield node.operand
    return operation(scope, node, UNARY[symbol], operand)


def _binary(scope: Scope, node: ast.BinOp) -> Walk:
    symbol = _symbol(scope, node, node.op, left=node.left, right=node.right)
    left_operand = yield node.left
    right_operand = yield node.right
    return operation(scope, node, BINARY[symbol], left_operand, right_operand)


def _compare(scope: Scope, node: ast.Compare) -> Walk:
    if len(node.ops) > 1:
        parts = [_text(scope, part) for part in (node.left, *node.comparators)]
        pairs = " & ".join(
            f"({left} {SYMBOLS.get(type(op), '?')} {right})"
            for left, op, right in zip(parts, node.ops, parts[1:], strict=False)
        )
        raise scope.source.error("syntax", "one comparison at a time", node, f"write {pairs}")
    symbol = _symbol(scope, node, node.ops[0])
    left = yield node.left
    right = yield node.comparators[0]
    return operation(scope, node, COMPARISON[symbol], left, right)


def _symbol(scope: Scope, node: ast.expr, operator: ast.AST, **parts: ast.expr) -> str:
    """The symbol of an operator. Raises GradcliError where it means something else here, with what to write."""
    symbol = SYMBOLS.get(type(operator))
    if symbol is None:
        message, hint = slips.OPERATORS[type(operator).__name__]
        hint = hint.format(**{name: _text(scope, part) for name, part in parts.items()})
        raise scope.source.error("syntax", message, node, hint)
    return symbol


def _text(scope: Scope, node: ast.expr) -> str:
    span = scope.source.span(node)
    return scope.source.text[span.start : span.end]


def _items(_: Scope, node: ast.List | ast.Tuple) -> Walk:
    elements = []
    for element in node.elts:
        elements.append((yield element))
    return Items("list" if isinstance(node, ast.List) else "tuple", tuple(elements))


# Nodes that need no other node first, and nodes that do.
LEAVES: dict[type[ast.expr], Callable[..., Operand]] = {ast.Constant: _constant, ast.Name: Scope.read}
NODES: dict[type[ast.expr], Callable[..., Walk]] = {
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.List: _items,
    ast.Tuple: _items,
    ast.Attribute: attribute,
    ast.Subscript: subscript,
    ast.Call: lower_call,
}
