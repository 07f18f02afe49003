"""Where a script's text switches gradients off and on."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gradcli.training.script.expressions import first_constant, last_name

# What turns recording off, and what a sentence calls it.
MODES = {"no_grad": "no_grad", "inference_mode": "inference mode", "set_grad_enabled": "set_grad_enabled(False)"}


@dataclass(frozen=True, slots=True)
class Off:
    """Where gradients are switched off: by which mode, and at which line."""

    mode: str
    line: int


def off_by(call: ast.expr) -> Off | None:
    """The mode of `torch.no_grad()` and the like, with or without brackets."""
    mode, told = last_name(call), first_constant(call)
    off = {"no_grad": True, "inference_mode": told is not False, "set_grad_enabled": told is False}
    return Off(mode, call.lineno) if off.get(mode, False) else None


def inside(block: ast.With, off: Off | None) -> Off | None:
    """The mode in a `with` block."""
    for item in block.items:
        call = item.context_expr
        if last_name(call) == "enable_grad" or (last_name(call) == "set_grad_enabled" and first_constant(call) is True):
            off = None
        off = off_by(call) or off
    return off


def behind(statement: ast.stmt, off: Off | None) -> Off | None:
    """The mode after a statement: set_grad_enabled() works without `with`; no_grad() does nothing so."""
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return off
    return off_by(statement.value) if last_name(statement.value) == "set_grad_enabled" else off
