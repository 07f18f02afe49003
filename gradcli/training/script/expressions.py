"""What an expression of a script's text is: its words, the name at its end or root, and what a call is told."""

from __future__ import annotations

import ast

_MODULES = frozenset({"torch", "F", "nn", "np", "numpy", "math", "functional", "optim"})


def text_of(node: ast.expr, most: int | None = None) -> str:
    """An expression in one line, of so many characters at most."""
    text = " ".join(ast.unparse(node).split())
    return text if most is None else shortened(text, most)


def shortened(text: str, most: int) -> str:
    """The beginning of a text that is longer than so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def last_name(node: ast.AST | None) -> str:
    """The last part of what is named, or of what is called: relu for torch.relu and torch.relu(x)."""
    named = node.func if isinstance(node, ast.Call) else node
    return named.attr if isinstance(named, ast.Attribute) else named.id if isinstance(named, ast.Name) else ""


def root_name(node: ast.expr) -> str:
    """The name in front of all dots: torch for torch.nn.functional; empty where something else stands there."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def is_module(node: ast.expr) -> bool:
    """Whether a name in front of a dot is a module of functions, as torch and F are."""
    return root_name(node) in _MODULES


def sets(call: ast.Call, keyword: str) -> bool:
    """Whether a call is told keyword=True."""
    return any(
        one.arg == keyword and isinstance(one.value, ast.Constant) and one.value.value is True for one in call.keywords
    )


def first_constant(call: ast.expr) -> object:
    """The first argument of a call where it is a constant; None elsewhere."""
    argument = call.args[0] if isinstance(call, ast.Call) and call.args else None
    return argument.value if isinstance(argument, ast.Constant) else None
