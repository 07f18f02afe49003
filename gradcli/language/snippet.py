"""Lines of a pasted snippet that need no step of their own: imports, prints, reads of .grad, seeds, one backward()."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gradcli.errors import GradcliError
from gradcli.language.expressions import lower
from gradcli.language.program import Input, Ref, Seed
from gradcli.language.reader import Reader

MODULES = frozenset({"torch", "math", "numpy", "matplotlib"})

# Methods that may follow a read of .grad.
_AFTER_GRAD = frozenset({"clone", "detach", "item", "tolist", "numpy"})
_SEEDS = frozenset({"torch.manual_seed", "torch.random.manual_seed"})


def needs_no_step(reader: Reader, node: ast.stmt) -> bool:
    """Whether a statement was one of these; what it says is then remembered."""
    return any(recognise(reader, node) for recognise in _RECOGNISED)


def after_backward(reader: Reader, node: ast.stmt) -> GradcliError:
    """The error for a statement that cannot stand after backward()."""
    if isinstance(node, ast.Expr) and _backward_call(reader, node.value):
        message = "a second backward(): the first one freed the graph"
        hint = "to see .grad accumulate, keep one backward() and use --repeat 2"
        return reader.scope.source.error("autograd", message, node, hint, "G204")
    message = "after backward() only lines that read .grad or print can stand"
    return reader.scope.source.error("syntax", message, node, "move this line before backward()")


def _imported(reader: Reader, node: ast.stmt) -> bool:
    """`import torch`, `from torch.nn import functional as F`: names of namespaces."""
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        return False
    span = reader.scope.source.span(node)
    origin = node.module if isinstance(node, ast.ImportFrom) else None
    for alias in node.names:
        path = f"{origin}.{alias.name}" if origin else alias.name
        if path.partition(".")[0] not in MODULES:
            raise reader.scope.source.error("syntax", f"'{path}' cannot be imported here", span, "leave this line out")
        if path.startswith(("torch", "math")) and (alias.asname or origin):
            reader.scope.roots[alias.asname or alias.name] = path
    reader.leave_out(reader.text(span), span)
    return True


def _printed(reader: Reader, node: ast.stmt) -> bool:
    """`print(...)`: what it prints is not computed, unless nothing else is the answer."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "print":
        return False
    reads = [part for part in ast.walk(call) if _reads_grad(part)]
    reader.grad_reads += [(part.value.id, reader.scope.source.span(part)) for part in reads]  # type: ignore[attr-defined]
    reader.leave_out("print(...)", reader.scope.source.span(node))
    if len(call.args) == 1 and not reads:
        reader.printed = call.args[0]
    return True


def _grad_read(reader: Reader, node: ast.stmt) -> bool:
    """`A.grad`, `g = A.grad` and `g = A.grad.clone()`: the answer shows every .grad."""
    value = node.value if isinstance(node, (ast.Expr, ast.Assign)) else None
    method = value.func if isinstance(value, ast.Call) and not value.args else None
    if isinstance(method, ast.Attribute) and method.attr in _AFTER_GRAD:
        value = method.value
    if value is None or not _reads_grad(value):
        return False
    reader.grad_reads.append((value.value.id, reader.scope.source.span(value)))  # type: ignore[attr-defined]
    span = reader.scope.source.span(node)
    reader.leave_out(reader.text(span), span)
    return True


def _reads_grad(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.value, ast.Name)


def _harmless(reader: Reader, node: ast.stmt) -> bool:
    """`B.retain_grad()` and a docstring change no number."""
    value = node.value if isinstance(node, ast.Expr) else None
    text = isinstance(value, ast.Constant) and isinstance(value.value, str)
    retain = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "retain_grad"
    if retain and isinstance(value.func.value, ast.Name):  # type: ignore[union-attr]
        reader.retained.add(value.func.value.id)  # type: ignore[union-attr]
    if text or retain:
        span = reader.scope.source.span(node)
        reader.leave_out(reader.text(span), span)
    return text or retain


def _seeded(reader: Reader, node: ast.stmt) -> bool:
    """`torch.manual_seed(0)` seeds what follows, and is a step."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or reader.scope.dotted(call.func) not in _SEEDS:
        return False
    number = lower(reader.scope, call.args[0]) if len(call.args) == 1 and not call.keywords else None
    if not isinstance(number, int) or not 0 <= number < 2**63:
        raise reader.scope.source.error("argument", "manual_seed() takes one whole number from 0", call)
    reader.scope.add(Seed(number, reader.scope.source.span(node)))
    reader.scope.random = True
    return True


def _backward_call(reader: Reader, node: ast.expr) -> ast.Call | None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "backward":
        return node if reader.scope.dotted(node.func) is None else None
    return None


def _went_back(reader: Reader, node: ast.stmt) -> bool:
    """`loss.backward()`: loss is the answer, and gradcli goes back itself."""
    call = _backward_call(reader, node.value) if isinstance(node, ast.Expr) and reader.backward is None else None
    if call is None:
        return False
    source, target = reader.scope.source, call.func.value  # type: ignore[attr-defined]
    operand = lower(reader.scope, target)
    if not isinstance(operand, Ref):
        raise source.error("autograd", "only a tensor has backward()", target)
    if isinstance(reader.scope.steps[operand.step], Input):
        name = reader.text(source.span(target))
        message = f"{name} is an input: nothing was computed, so there is no graph to go back through"
        raise source.error("autograd", message, call, "compute something first: loss = A*5")
    gradients = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "gradient")]
    if len(call.args) > 1 or any(k.arg not in {"gradient", "retain_graph", "create_graph"} for k in call.keywords):
        raise source.error("argument", "backward() takes gradient= and retain_graph= here", call)
    if gradients:
        reader.upstream = lower(reader.scope, gradients[0])
    reader.answer(target, operand)
    reader.backward = source.span(call)
    return True


_RECOGNISED: tuple[Callable[[Reader, ast.stmt], bool], ...] = (
    _imported, _printed, _grad_read, _harmless, _seeded, _went_back,
)  # fmt: skip
