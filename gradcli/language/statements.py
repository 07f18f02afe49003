"""Statements in order: which row reads each, and what may follow backward()."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gradcli.language import snippet
from gradcli.language.assignments import assign, augment
from gradcli.language.blocks import enter
from gradcli.language.expressions import lower
from gradcli.language.program import Bind, Call, Leave, Ref
from gradcli.language.reader import Reader
from gradcli.language.slips import REFUSED


def read(reader: Reader, statements: list[ast.stmt]) -> None:
    """Add the steps of all statements."""
    for statement in statements:
        _statement(reader, statement)


def finish(reader: Reader) -> None:
    """What remains when every line is read: a printed expression as the answer, the remark on lines left out."""
    if not reader.outputs and reader.printed is not None:
        _expression(reader, ast.copy_location(ast.Expr(reader.printed), reader.printed))
    reader.scope.remarks += reader.replaced()
    remark = reader.left_out()
    if remark is not None:
        reader.scope.remarks.append(remark)


def _statement(reader: Reader, node: ast.stmt) -> None:
    if snippet.needs_no_step(reader, node):
        return
    if reader.backward is not None:
        raise snippet.after_backward(reader, node)
    handle = STATEMENTS.get(type(node))
    if handle is None:
        name = type(node).__name__
        message, hint = REFUSED.get(name, (f"{name} is not part of the language", None))
        raise reader.scope.source.error("syntax", message, node, hint)
    handle(reader, node)


def _expression(reader: Reader, node: ast.Expr) -> None:
    before = len(reader.scope.steps)
    operand = lower(reader.scope, node.value)
    if len(reader.scope.steps) > before:
        bound = reader.scope.add(Bind(None, operand, None, None, reader.scope.source.span(node)))
        operand = bound if isinstance(operand, Ref) else operand
    made = reader.scope.steps[-2] if len(reader.scope.steps) > before + 1 else None
    if made is None or not (isinstance(made, Call) and made.function.writes):
        reader.dropped.append((reader.text(reader.scope.source.span(node)), reader.scope.source.span(node)))
    reader.answer(node.value, operand)


def _block(reader: Reader, node: ast.With) -> None:
    for item in node.items:
        enter(reader, item)
    read(reader, node.body)
    for _ in node.items:
        reader.scope.add(Leave(reader.scope.source.span(node)))


STATEMENTS: dict[type[ast.stmt], Callable[..., None]] = {
    ast.Expr: _expression,
    ast.Assign: assign,
    ast.AugAssign: augment,
    ast.With: _block,
}
