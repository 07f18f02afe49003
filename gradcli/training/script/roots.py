"""What a line of a script goes back from: the tensor that its backward() or grad() is called on."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from gradcli.training.script.expressions import last_name
from gradcli.training.script.source import Source


def roots_at(source: Source, number: int, names: Set[str] = frozenset({"backward", "grad"})) -> Iterator[ast.expr]:
    """The operands of calls of such names that stand in a line: x of x.backward(), autograd.backward(x), grad(x)."""
    for call in source.calls_at(number):
        name = last_name(call)
        if name not in names:
            continue
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if name == "backward" and owner is not None and last_name(owner) != "autograd":
            yield owner
        elif call.args:
            yield call.args[0]
