"""Calls: which row of the vocabulary a call means, and whether its operands fit."""

from __future__ import annotations

import ast
from collections.abc import Generator

from gradcli.language import numbers, slips
from gradcli.language.fit import fit
from gradcli.language.program import Call, Items, Keywords, Named, Operand, Ref, Style
from gradcli.language.scope import PYTHON_TYPES, Scope
from gradcli.language.unknown import module_function, of_numpy, unknown
from gradcli.language.vocabulary import Function, by_path, find_bare, find_method
from gradcli.language.words import WORDS

# A walk yields the node whose operand it needs next, and returns its own operand.
Walk = Generator[ast.expr, Operand, Operand]


def lower_call(scope: Scope, node: ast.Call) -> Walk:
    """The operand of a call, after its own operands."""
    callee = node.func
    path = scope.dotted(callee)
    if path is not None:
        args, kwargs = yield from _operands(scope, node, by_path().get(path))
        return _dotted(scope, node, path, args, kwargs)
    if isinstance(callee, ast.Name):
        if callee.id in scope.names:
            raise scope.source.error("syntax", f"'{callee.id}' is a value, not a function", callee, "multiply with *")
        found = find_bare(callee.id)
        if not found and callee.id not in WORDS and callee.id not in numbers.FUNCTIONS:
            raise unknown(scope, callee, callee.id, f"function '{callee.id}'")
        args, kwargs = yield from _operands(scope, node, found[1] if found else None)
        return _bare(scope, node, callee.id, args, kwargs)
    if isinstance(callee, ast.Attribute):
        if of_numpy(scope, callee):
            raise unknown(scope, callee, callee.attr, f"function '{scope.text(callee)}'")
        found = _method(scope, callee)
        base = yield callee.value
        args, kwargs = yield from _operands(scope, node, found[1])
        if not isinstance(base, Ref):
            raise scope.source.error(
                "syntax", f".{callee.attr}() needs a tensor before the dot", callee, f"write {callee.attr}(...)"
            )
        return _step(scope, node, found, "method", (base, *args), kwargs)
    if isinstance(callee, ast.Call) and (stands := module_function(scope, callee.func)):
        raise scope.source.error("name", "a module holds parameters", callee, f"its function is {stands}(...)")
    raise scope.source.error("syntax", "this is not a function", callee, "multiply with *: 5*(A)")


def _operands(
    scope: Scope, node: ast.Call, function: Function | None
) -> Generator[ast.expr, Operand, tuple[tuple[Operand, ...], Keywords]]:
    args: list[Operand] = []
    for one in node.args:
        type_name = _python_type(scope, one)
        args.append(type_name if type_name else (yield one))
    kwargs: list[tuple[str, Operand]] = []
    for keyword in node.keywords:
        if keyword.arg is None:
            raise scope.source.error(
                "syntax", "'**' unpacking is not part of the language", keyword.value, "write the arguments out"
            )
        if keyword.arg == "out":
            raise scope.source.error(
                "argument", "out= writes into a tensor and is not part of the language", keyword.value
            )
        constant = _python_type(scope, keyword.value) or _function_named(scope, keyword, function)
        kwargs.append((keyword.arg, constant if constant else (yield keyword.value)))
    return tuple(args), tuple(kwargs)


def _python_type(scope: Scope, node: ast.expr) -> Named | None:
    """float, int, bool and complex as operands mean dtypes."""
    if isinstance(node, ast.Name) and node.id in PYTHON_TYPES and node.id not in scope.names:
        return Named(node.id)
    return None


def _function_named(scope: Scope, keyword: ast.keyword, function: Function | None) -> Named | None:
    """The function that an argument names, where the row takes one: distance_function=F.pairwise_distance."""
    choices = function.named.get(keyword.arg or "") if function else None
    node = keyword.value
    path = scope.dotted(node)
    if path is None and isinstance(node, ast.Name) and not (node.id in scope.names or node.id in scope.given):
        found = find_bare(node.id)
        path = found[0] if found else None
    if choices is None or path is None:
        return None
    row = by_path().get(path)
    if row is None or row.name not in choices.split():
        listed = " or ".join(choices.split())
        raise scope.source.error("argument", f"{keyword.arg} is {listed} here", node)
    return Named(path)


def _dotted(scope: Scope, node: ast.Call, path: str, args: tuple[Operand, ...], kwargs: Keywords) -> Operand:
    """torch.sin(A), F.relu(A), math.sqrt(2)."""
    root, _, name = path.rpartition(".")
    if root == "math":
        function = numbers.FUNCTIONS.get(name)
        if function is None:
            raise scope.source.error("name", f"math has no function '{name}' here", node.func)
        if kwargs or not all(map(numbers.is_number, args)):
            raise scope.source.error(
                "argument", f"math.{name}() takes numbers, not tensors", node.func, f"write torch.{name}(...)"
            )
        return scope.located(node, numbers.call, function, args)  # type: ignore[no-any-return]
    if path == "torch.device" and len(args) == 1 and isinstance(args[0], str):
        return args[0]
    if path == "torch.Size" and len(args) == 1 and isinstance(args[0], Items):
        return Items("tuple", args[0].elements)
    function_row = by_path().get(path)
    if function_row is None:
        shown = scope.text(node.func)
        raise unknown(scope, node.func, name, f"function '{shown}'")
    return _step(scope, node, (path, function_row), "function", args, kwargs)


def _bare(scope: Scope, node: ast.Call, name: str, args: tuple[Operand, ...], kwargs: Keywords) -> Operand:
    """sin(A), and Python's own words."""
    found = find_bare(name)
    only_numbers = bool(args) and not kwargs and all(map(numbers.is_number, args))
    if only_numbers and not (found and found[1].makes):
        function = numbers.WORDS.get(name) or numbers.FUNCTIONS.get(name)
        if function is not None:
            return scope.located(node, numbers.call, function, args)  # type: ignore[no-any-return]
    word = WORDS.get(name)
    if word is not None:
        answer = word(scope, node, args, kwargs)
        if answer is not NotImplemented:
            return answer  # type: ignore[no-any-return]
    if found is None:
        raise scope.source.error(
            "argument", f"{name}() works on numbers here, not on tensors", node.func, f"write torch.{name}(...)"
        )
    return _step(scope, node, found, "method" if found[0].startswith("torch.Tensor.") else "function", args, kwargs)


def _step(
    scope: Scope, node: ast.Call, found: tuple[str, Function], style: Style, args: tuple[Operand, ...], kwargs: Keywords
) -> Operand:
    """The step of a call, after its operands were held against its row."""
    fit(scope, node, found, args, kwargs)
    path, function = found
    return scope.add(Call(function, path, style, args, kwargs, scope.source.span(node)))


def _method(scope: Scope, callee: ast.Attribute) -> tuple[str, Function]:
    name = callee.attr
    found = find_method(name)
    if found and not found[1].attribute:
        return found
    if name in slips.LEAVES_AUTOGRAD:
        raise scope.source.error(
            "autograd",
            f".{name}() gives {slips.LEAVES_AUTOGRAD[name]}, which autograd cannot follow",
            callee,
            "leave it out: the answer shows the numbers",
            "G108",
        )
    if name == "backward":
        raise scope.source.error(
            "autograd",
            "backward() gives no value",
            callee,
            "end with it as a line of its own: loss = ...; loss.backward()",
        )
    if found:
        raise scope.source.error("name", f"'.{name}' is an attribute", callee, f"leave the brackets out: .{name}")
    raise unknown(scope, callee, name, f"method '{name}'")
