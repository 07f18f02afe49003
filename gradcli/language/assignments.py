"""Assignments: names, tuples of names, writes into a part of a tensor, and `+=`, which is in place on tensors."""

from __future__ import annotations

import ast

from gradcli.language import numbers, slips
from gradcli.language.expressions import SYMBOLS, lower, operation
from gradcli.language.program import Bind, Call, Items, Operand, Output, Ref
from gradcli.language.reader import Reader
from gradcli.language.vocabulary import find_method
from gradcli.language.vocabulary.operators import AUGMENTED, BINARY, STORE


def assign(reader: Reader, node: ast.Assign) -> None:
    if (
        len(node.targets) == 1
        and isinstance(node.targets[0], ast.Attribute)
        and node.targets[0].attr == "requires_grad"
    ):
        require_grad(reader, node, node.targets[0])
        return
    target = node.targets[0]
    if isinstance(target, ast.Attribute) and target.attr == "grad":
        hint = "leave it out: every answer begins with a .grad of None"
        raise reader.scope.source.error("syntax", "a .grad cannot be set here", node, hint)
    value = lower(reader.scope, node.value)
    if isinstance(value, str) or value is None:
        raise reader.scope.source.error("syntax", "only tensors and numbers can be given a name", node)
    for target in node.targets:
        store(reader, target, value, node if len(node.targets) == 1 else target)


def require_grad(reader: Reader, node: ast.Assign, target: ast.Attribute) -> None:
    operand, flag = lower(reader.scope, target.value), lower(reader.scope, node.value)
    found = find_method("requires_grad_")
    if not isinstance(operand, Ref) or not isinstance(flag, bool) or found is None:
        raise reader.scope.source.error("syntax", "requires_grad is set to True or False, on a tensor", node)
    span = reader.scope.source.span(node)
    step = reader.scope.add(Call(found[1], found[0], "method", (operand, flag), (), span))
    name = target.value.id if isinstance(target.value, ast.Name) else None
    reader.answer(
        target.value,
        reader.scope.bind(name, step, span) if name else reader.scope.add(Bind(None, step, None, None, span)),
    )


def store(reader: Reader, target: ast.expr, value: Operand, statement: ast.stmt | ast.expr | None = None) -> None:
    span = reader.scope.source.span(target)
    if isinstance(target, ast.Name):
        reader.answer(target, reader.scope.bind(target.id, value, span))
    elif isinstance(target, (ast.Tuple, ast.List)) and all(isinstance(one, ast.Name) for one in target.elts):
        names = [one.id for one in target.elts if isinstance(one, ast.Name)]
        if isinstance(value, Items) and len(value.elements) == len(names):
            bound = [reader.scope.bind(name, one, span) for name, one in zip(names, value.elements, strict=True)]
        elif isinstance(value, Ref):
            bound = [reader.scope.bind(name, value, span, part, len(names)) for part, name in enumerate(names)]
        else:
            raise reader.scope.source.error(
                "syntax", f"{len(names)} names on the left do not match the right side", target
            )
        reader.outputs = tuple(Output(one, name, span) for one, name in zip(bound, names, strict=True))
    elif isinstance(target, ast.Subscript):
        write(reader, target, value, statement or target)
    else:
        raise reader.scope.source.error("syntax", "only names and indexed tensors can be assigned to", target)


def write(reader: Reader, target: ast.Subscript, value: Operand, statement: ast.stmt | ast.expr) -> None:
    """B[0] = value writes in place; its columns are those of the whole statement."""
    place = lower(reader.scope, ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target))
    step = reader.scope.steps.pop()
    if (
        not isinstance(place, Ref)
        or not isinstance(step, Call)
        or not (isinstance(value, Ref) or numbers.is_number(value))
    ):
        raise reader.scope.source.error("syntax", "only a tensor or a number can be written into a tensor", target)
    span = reader.scope.source.span(statement)
    reader.scope.add(Call(STORE, STORE.paths[0], "store", (*step.args, value), (), span))
    reader.answer(target.value, step.args[0])


def augment(reader: Reader, node: ast.AugAssign) -> None:
    symbol = SYMBOLS.get(type(node.op))
    if symbol is None:
        message, _ = slips.OPERATORS[type(node.op).__name__]
        raise reader.scope.source.error("syntax", message, node)
    left = lower(reader.scope, node.target)
    right = lower(reader.scope, node.value)
    if isinstance(left, Ref):
        span = reader.scope.source.span(node)
        if not isinstance(right, Ref) and not numbers.is_number(right):
            raise reader.scope.source.error("syntax", f"'{symbol}=' needs a tensor or a number on its right", node)
        function = AUGMENTED[symbol]
        value: Operand = reader.scope.add(Call(function, function.paths[0], "augment", (left, right), (), span))
    else:
        value = operation(reader.scope, node.value, BINARY[symbol], left, right)
    if isinstance(node.target, ast.Name):
        store(reader, node.target, value)
    elif isinstance(node.target, ast.Subscript) and isinstance(left, Ref):
        part = reader.scope.steps[left.step]  # stored back, as Python does: a part taken by a list or mask is a copy
        assert isinstance(part, Call)
        span = reader.scope.source.span(node)
        reader.scope.add(Call(STORE, STORE.paths[0], "store", (*part.args, value), (), span))
        reader.answer(node.target.value, part.args[0])
    else:
        raise reader.scope.source.error("syntax", "only names and indexed tensors can be assigned to", node.target)
