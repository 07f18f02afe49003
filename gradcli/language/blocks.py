"""`with torch.no_grad():` and its kin."""

from __future__ import annotations

import ast

from gradcli.language.expressions import lower
from gradcli.language.program import Enter
from gradcli.language.reader import Reader

# Context manager -> whether it takes True or False.
MANAGERS = {"no_grad": False, "enable_grad": False, "inference_mode": True, "set_grad_enabled": True}


def enter(reader: Reader, item: ast.withitem) -> None:
    """The step that begins a block."""
    source, context = reader.scope.source, item.context_expr
    if item.optional_vars is not None:
        message = "a grad mode gives nothing to name with 'as'"
        raise source.error("syntax", message, item.optional_vars, "leave the 'as ...' out")
    callee = context.func if isinstance(context, ast.Call) else context
    path = reader.scope.dotted(callee) or (callee.id if isinstance(callee, ast.Name) else "")
    name = path.rpartition(".")[2]
    if name not in MANAGERS or path not in {name, f"torch.{name}", f"torch.autograd.grad_mode.{name}"}:
        known = ", ".join(f"torch.{one}()" for one in MANAGERS)
        raise source.error("syntax", "this block is not one of the grad modes", context, f"the blocks: {known}")
    if not isinstance(context, ast.Call):
        raise source.error("syntax", f"{name} needs its brackets", context, f"with torch.{name}():")
    given = (*context.args, *(keyword.value for keyword in context.keywords))
    flags = [lower(reader.scope, one) for one in given]
    needed = name == "set_grad_enabled"
    if not needed <= len(flags) <= MANAGERS[name] or not all(isinstance(one, bool) for one in flags):
        raise source.error("argument", f"{name}() takes {'True or False' if MANAGERS[name] else 'nothing'}", context)
    reader.scope.add(Enter(name, bool(flags[0]) if flags else None, source.span(context)))
