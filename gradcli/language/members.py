"""What stands behind a dot or between brackets: attributes, constants of a namespace, indices."""

from __future__ import annotations

import ast

from gradcli.language import numbers
from gradcli.language.calls import Walk
from gradcli.language.program import Call, Items, Named, Operand, Ref, SliceOf
from gradcli.language.scope import DTYPES, FORMATS, Scope
from gradcli.language.vocabulary import FIELDS, by_path, find_method
from gradcli.language.vocabulary.operators import FIELD, INDEX


def attribute(scope: Scope, node: ast.Attribute) -> Walk:
    """The operand of `A.T`, `q.values` or `math.pi`."""
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
    text = scope.text(node)
    if path in by_path() or (root == "math" and name in numbers.FUNCTIONS):
        raise scope.source.error("name", f"'{text}' is a function", node, f"call it: {text}(...)")
    raise scope.source.error("name", f"unknown name '{text}'", node)


def subscript(scope: Scope, node: ast.Subscript) -> Walk:
    """The operand of `A[0, 1:]`."""
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
