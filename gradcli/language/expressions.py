"""Expressions to operands and steps: one row for each kind of node, walked without recursion."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator

from gradcli.language import numbers, slips
from gradcli.language.calls import lower_call
from gradcli.language.program import Call, Items, Named, Operand, Ref, SliceOf
from gradcli.language.scope import DTYPES, FORMATS, Scope
from gradcli.language.vocabulary import FIELDS, by_path, find_method
from gradcli.language.vocabulary.function import Function
from gradcli.language.vocabulary.operators import BINARY, COMPARISON, FIELD, INDEX, UNARY

# A walk yields the node whose operand it needs next, and returns its own operand.
Walk = Generator[ast.expr, Operand, Operand]

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


def _name(scope: Scope, node: ast.Name) -> Operand:
    return scope.read(node)


def _unary(scope: Scope, node: ast.UnaryOp) -> Walk:
    if isinstance(node.op, ast.Not):
        message, hint = slips.OPERATORS["Not"]
        raise scope.source.error("syntax", message, node, hint)
    operand = yield node.operand
    return operation(scope, node, UNARY[SYMBOLS[type(node.op)]], operand)


def _binary(scope: Scope, node: ast.BinOp) -> Walk:
    symbol = SYMBOLS.get(type(node.op))
    if symbol is None:
        message, hint = slips.OPERATORS[type(node.op).__name__]
        left, right = (_text(scope, part) for part in (node.left, node.right))
        raise scope.source.error("syntax", message, node, hint.format(left=left, right=right))
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
    symbol = SYMBOLS.get(type(node.ops[0]))
    if symbol is None:
        message, hint = slips.OPERATORS[type(node.ops[0]).__name__]
        raise scope.source.error("syntax", message, node, hint)
    left = yield node.left
    right = yield node.comparators[0]
    return operation(scope, node, COMPARISON[symbol], left, right)


def _items(_: Scope, node: ast.List | ast.Tuple) -> Walk:
    elements = []
    for element in node.elts:
        elements.append((yield element))
    return Items("list" if isinstance(node, ast.List) else "tuple", tuple(elements))


def _attribute(scope: Scope, node: ast.Attribute) -> Walk:
    path = scope.dotted(node)
    if path is not None:
        return _constant_of(scope, node, path)
    base = yield node.value
    span = scope.source.span(node)
    name = node.attr
    known = find_method(name)
    if not isinstance(base, Ref):
        raise scope.source.error("syntax", "only a tensor has attributes", node)
    if known and known[1].attribute:
        return scope.add(Call(known[1], known[0], "attribute", (base,), (), span))
    if name in FIELDS:
        return scope.add(Call(FIELD, name, "field", (base,), (), span))
    if name == "grad":
        raise scope.source.error(
            "autograd",
            ".grad is filled by backward(), which runs after the expression",
            node,
            "leave it out: gradcli shows the .grad of every input",
        )
    if known:
        raise scope.source.error("name", f"'.{name}' is a method", node, f"call it: .{name}(...)")
    raise scope.source.error(
        "name", f"unknown attribute '{name}'", node, "the attributes are .T .mT .real .imag .shape ..."
    )


def _constant_of(scope: Scope, node: ast.Attribute, path: str) -> Operand:
    """A constant of a namespace: math.pi, torch.inf, torch.float64."""
    root, _, name = path.rpartition(".")
    if root in {"torch", "math"} and name in numbers.CONSTANTS:
        return numbers.CONSTANTS[name]
    if root == "torch" and name in DTYPES | FORMATS:
        return Named(path)
    if path in by_path() or (root == "math" and name in numbers.FUNCTIONS):
        raise scope.source.error(
            "name", f"'{_text(scope, node)}' is a function", node, f"call it: {_text(scope, node)}(...)"
        )
    raise scope.source.error("name", f"unknown name '{_text(scope, node)}'", node)


def _subscript(scope: Scope, node: ast.Subscript) -> Walk:
    base = yield node.value
    if not isinstance(base, Ref):
        raise scope.source.error("syntax", "only a tensor can be indexed", node, "make a tensor of it: tensor([...])")
    index = yield from _index(scope, node.slice)
    return scope.add(Call(INDEX, INDEX.paths[0], "index", (base, index), (), scope.source.span(node)))


def _index(scope: Scope, node: ast.expr) -> Walk:
    """What stands between the brackets: numbers, slices, `...`, None, lists, masks, and tuples of them."""
    if isinstance(node, ast.Slice):
        parts: list[Operand] = []
        for part in (node.lower, node.upper, node.step):
            parts.append((yield part) if part is not None else None)
        return SliceOf(*parts)
    if isinstance(node, ast.Constant) and node.value is Ellipsis:
        return Named("Ellipsis")
    if isinstance(node, ast.Tuple):
        elements: list[Operand] = []
        for element in node.elts:
            elements.append((yield from _index(scope, element)))
        return Items("tuple", tuple(elements))
    operand = yield node
    if isinstance(operand, (str, float, complex)):
        raise scope.source.error("syntax", "an index is a whole number, a slice, a list or a mask", node)
    return operand


def _text(scope: Scope, node: ast.expr) -> str:
    span = scope.source.span(node)
    return scope.source.text[span.start : span.end]


# Nodes that need no other node first, and nodes that do.
LEAVES: dict[type[ast.expr], Callable[..., Operand]] = {ast.Constant: _constant, ast.Name: _name}
NODES: dict[type[ast.expr], Callable[..., Walk]] = {
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.List: _items,
    ast.Tuple: _items,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Call: lower_call,
}
