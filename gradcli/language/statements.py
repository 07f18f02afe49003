"""Statements to steps: assignments, blocks, and the lines of a pasted snippet that need no step."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gradcli.errors import Span
from gradcli.language import numbers, slips
from gradcli.language.expressions import SYMBOLS, lower, operation
from gradcli.language.program import Bind, Call, Enter, Input, Items, Leave, Operand, Output, Ref, Remark, Seed
from gradcli.language.scope import Scope
from gradcli.language.vocabulary import find_method
from gradcli.language.vocabulary.operators import AUGMENTED, BINARY, STORE

MANAGERS = {"no_grad": False, "enable_grad": True, "inference_mode": False, "set_grad_enabled": None}
MODULES = {"torch", "math", "numpy", "matplotlib"}


class Reader:
    """Reads the statements of one text in order, and remembers what it answers."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.outputs: tuple[Output, ...] = ()
        self.backward: Span | None = None
        self.upstream: Operand = None
        self.grad_reads: list[tuple[str, Span]] = []
        self._unneeded: list[tuple[str, Span]] = []
        self._printed: ast.expr | None = None

    def read(self, statements: list[ast.stmt]) -> None:
        """Add the steps of all statements."""
        for statement in statements:
            self._statement(statement)

    def finish(self) -> None:
        """What remains when every line is read: a printed expression as the answer, and the remark on extra lines."""
        if not self.outputs and self._printed is not None:
            self._answer(self._printed, lower(self.scope, self._printed))
        if self._unneeded:
            lines = ", ".join(dict.fromkeys(text for text, _ in self._unneeded))
            verb = "is" if "," not in lines else "are"
            self.scope.remarks.append(Remark(f"not needed here: {lines} {verb} left out", self._unneeded[0][1]))

    def _statement(self, node: ast.stmt) -> None:
        span = self.scope.source.span(node)
        if isinstance(node, ast.Expr) and self._is_print(node.value):
            self._print(node.value, span)
            return
        read = self._grad_read(node)
        if read is not None:
            self.grad_reads.append(read)
            self._unneeded.append((self._text(span), span))
            return
        if self.backward is not None:
            self._after_backward(node)
        handle = STATEMENTS.get(type(node))
        if handle is None:
            name = type(node).__name__
            message, hint = slips.REFUSED.get(name, (f"{name} is not part of the language", None))
            raise self.scope.source.error("syntax", message, span, hint)
        handle(self, node)

    def _after_backward(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Expr) and self._backward_call(node.value):
            raise self.scope.source.error(
                "autograd", "a second backward(): the first one freed the graph", node,
                "to see .grad accumulate, keep one backward() and use --repeat 2", "G204",
            )  # fmt: skip
        raise self.scope.source.error("syntax", "after backward() only lines that read .grad or print can stand", node,
                                      "move this line before backward()")

    # Lines that need no step -------------------------------------------------------------------------------------

    def _is_print(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"

    def _print(self, node: ast.expr, span: Span) -> None:
        assert isinstance(node, ast.Call)
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and part.attr == "grad" and isinstance(part.value, ast.Name):
                self.grad_reads.append((part.value.id, self.scope.source.span(part)))
        self._unneeded.append(("print(...)", span))
        if len(node.args) == 1 and not self.grad_reads:
            self._printed = node.args[0]

    def _grad_read(self, node: ast.stmt) -> tuple[str, Span] | None:
        """`A.grad`, `g = A.grad` and `g = A.grad.clone()`: what they read."""
        value = node.value if isinstance(node, (ast.Expr, ast.Assign)) else None
        if isinstance(value, ast.Call) and not value.args and isinstance(value.func, ast.Attribute):
            if value.func.attr in {"clone", "detach", "item", "tolist", "numpy"}:
                value = value.func.value
        if isinstance(value, ast.Attribute) and value.attr == "grad" and isinstance(value.value, ast.Name):
            return value.value.id, self.scope.source.span(value)
        return None

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        span = self.scope.source.span(node)
        origin = node.module if isinstance(node, ast.ImportFrom) else None
        for alias in node.names:
            path = f"{origin}.{alias.name}" if origin else alias.name
            if path.partition(".")[0] not in MODULES:
                raise self.scope.source.error("syntax", f"'{path}' cannot be imported here", span, "only torch and math are known")
            if path.startswith(("torch", "math")) and (alias.asname or origin):
                self.scope.roots[alias.asname or alias.name] = path
        self._unneeded.append((self._text(span), span))

    def _text(self, span: Span) -> str:
        return " ".join(self.scope.source.text[span.start : span.end].split())

    # Lines with steps --------------------------------------------------------------------------------------------

    def _answer(self, node: ast.expr, operand: Operand) -> None:
        """Remember the value of a statement: the last one is the answer."""
        written = node.elts if isinstance(node, ast.Tuple) else [node]
        operands = operand.elements if isinstance(operand, Items) and isinstance(node, ast.Tuple) else (operand,)
        self.outputs = tuple(
            Output(one, part.id if isinstance(part, ast.Name) else None, self.scope.source.span(part))
            for part, one in zip(written, operands, strict=True)
        )

    def _expression(self, node: ast.Expr) -> None:
        call = self._backward_call(node.value)
        if call is not None:
            self._backward(call)
            return
        if self._seed(node.value) or self._harmless(node):
            return
        before = len(self.scope.steps)
        operand = lower(self.scope, node.value)
        if len(self.scope.steps) > before:
            bound = self.scope.add(Bind(None, operand, None, None, self.scope.source.span(node)))
            operand = bound if isinstance(operand, Ref) else operand
        self._answer(node.value, operand)

    def _harmless(self, node: ast.Expr) -> bool:
        """`B.retain_grad()` and a docstring change no number."""
        value = node.value
        text = isinstance(value, ast.Constant) and isinstance(value.value, str)
        retain = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "retain_grad"
        if text or retain:
            span = self.scope.source.span(node)
            self._unneeded.append((self._text(span), span))
        return text or retain

    def _seed(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call) or self.scope.dotted(node.func) not in {"torch.manual_seed", "torch.random.manual_seed"}:
            return False
        number = lower(self.scope, node.args[0]) if len(node.args) == 1 and not node.keywords else None
        if not isinstance(number, int) or not 0 <= number < 2**63:
            raise self.scope.source.error("argument", "manual_seed() takes one whole number from 0", node)
        self.scope.add(Seed(number, self.scope.source.span(node)))
        self.scope.random = True
        return True

    def _backward_call(self, node: ast.expr) -> ast.Call | None:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "backward":
            return node if self.scope.dotted(node.func) is None else None
        return None

    def _backward(self, node: ast.Call) -> None:
        assert isinstance(node.func, ast.Attribute)
        target = node.func.value
        span = self.scope.source.span(node)
        operand = lower(self.scope, target)
        if not isinstance(operand, Ref):
            raise self.scope.source.error("autograd", "only a tensor has backward()", target)
        if isinstance(self.scope.steps[operand.step], Input):
            raise self.scope.source.error("autograd", f"{self._text(self.scope.source.span(target))} is an input: nothing was computed "
                                          "from it, so there is no graph to go back through", node, "compute something first: loss = A*5")
        gradients = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "gradient")]
        if len(node.args) > 1 or any(k.arg not in {"gradient", "retain_graph", "create_graph"} for k in node.keywords):
            raise self.scope.source.error("argument", "backward() takes gradient= and retain_graph= here", node)
        if gradients:
            self.upstream = lower(self.scope, gradients[0])
        self._answer(target, operand)
        self.backward = span
        self._unneeded.append((self._text(span), span))

    def _assign(self, node: ast.Assign) -> None:
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Attribute) and node.targets[0].attr == "requires_grad":
            self._require_grad(node, node.targets[0])
            return
        value = lower(self.scope, node.value)
        if isinstance(value, str) or value is None:
            raise self.scope.source.error("syntax", "only tensors and numbers can be given a name", node)
        for target in node.targets:
            self._store(target, value)

    def _require_grad(self, node: ast.Assign, target: ast.Attribute) -> None:
        operand, flag = lower(self.scope, target.value), lower(self.scope, node.value)
        found = find_method("requires_grad_")
        if not isinstance(operand, Ref) or not isinstance(flag, bool) or found is None:
            raise self.scope.source.error("syntax", "requires_grad is set to True or False, on a tensor", node)
        span = self.scope.source.span(node)
        step = self.scope.add(Call(found[1], found[0], "method", (operand, flag), (), span))
        self._answer(target.value, self.scope.add(Bind(None, step, None, None, span)))

    def _store(self, target: ast.expr, value: Operand) -> None:
        span = self.scope.source.span(target)
        if isinstance(target, ast.Name):
            self._answer(target, self.scope.bind(target.id, value, span))
        elif isinstance(target, (ast.Tuple, ast.List)) and all(isinstance(one, ast.Name) for one in target.elts):
            names = [one.id for one in target.elts if isinstance(one, ast.Name)]
            if isinstance(value, Items) and len(value.elements) == len(names):
                bound = [self.scope.bind(name, one, span) for name, one in zip(names, value.elements, strict=True)]
            elif isinstance(value, Ref):
                bound = [self.scope.bind(name, value, span, part, len(names)) for part, name in enumerate(names)]
            else:
                raise self.scope.source.error("syntax", f"{len(names)} names on the left do not match the right side", target)
            self.outputs = tuple(Output(one, name, span) for one, name in zip(bound, names, strict=True))
        elif isinstance(target, ast.Subscript):
            self._write(target, value)
        else:
            raise self.scope.source.error("syntax", "only names and indexed tensors can be assigned to", target)

    def _write(self, target: ast.Subscript, value: Operand) -> None:
        """B[0] = value writes in place."""
        place = lower(self.scope, ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target))
        step = self.scope.steps.pop()
        if not isinstance(place, Ref) or not isinstance(step, Call) or not (isinstance(value, Ref) or numbers.is_number(value)):
            raise self.scope.source.error("syntax", "only a tensor or a number can be written into a tensor", target)
        span = self.scope.source.span(target)
        self.scope.add(Call(STORE, STORE.paths[0], "store", (*step.args, value), (), span))
        self._answer(target.value, step.args[0])

    def _augment(self, node: ast.AugAssign) -> None:
        symbol = SYMBOLS.get(type(node.op))
        if symbol is None:
            message, _ = slips.OPERATORS[type(node.op).__name__]
            raise self.scope.source.error("syntax", message, node)
        load = ast.copy_location(ast.parse(ast.unparse(node.target), mode="eval").body, node.target)
        for part in ast.walk(load):
            if isinstance(part, ast.expr):
                ast.copy_location(part, node.target)
        left = lower(self.scope, load)
        right = lower(self.scope, node.value)
        if isinstance(left, Ref):
            span = self.scope.source.span(node)
            if not isinstance(right, Ref) and not numbers.is_number(right):
                raise self.scope.source.error("syntax", f"'{symbol}=' needs a tensor or a number on its right", node)
            function = AUGMENTED[symbol]
            value: Operand = self.scope.add(Call(function, function.paths[0], "augment", (left, right), (), span))
        else:
            value = operation(self.scope, node.value, BINARY[symbol], left, right)
        if isinstance(node.target, ast.Name):
            self._store(node.target, value)
        elif isinstance(node.target, ast.Subscript):
            bound = self.scope.add(Bind(None, value, None, None, self.scope.source.span(node)))
            self._answer(node.target.value, bound)
        else:
            raise self.scope.source.error("syntax", "only names and indexed tensors can be assigned to", node.target)

    def _with(self, node: ast.With) -> None:
        for item in node.items:
            self._enter(item)
        self.read(node.body)
        for _ in node.items:
            self.scope.add(Leave(self.scope.source.span(node)))

    def _enter(self, item: ast.withitem) -> None:
        source, context = self.scope.source, item.context_expr
        if item.optional_vars is not None:
            raise source.error("syntax", "a grad mode gives nothing to name with 'as'", item.optional_vars, "leave the 'as ...' out")
        callee = context.func if isinstance(context, ast.Call) else context
        path = self.scope.dotted(callee) or (callee.id if isinstance(callee, ast.Name) else "")
        name = path.rpartition(".")[2]
        if name not in MANAGERS or path not in {name, f"torch.{name}", f"torch.autograd.grad_mode.{name}"}:
            raise source.error("syntax", "only torch.no_grad(), enable_grad(), inference_mode() and set_grad_enabled() blocks are read", context)
        if not isinstance(context, ast.Call):
            raise source.error("syntax", f"{name} needs its brackets", context, f"with torch.{name}():")
        values = [lower(self.scope, one) for one in (*context.args, *(keyword.value for keyword in context.keywords))]
        takes = name in {"inference_mode", "set_grad_enabled"}
        if len(values) > takes or (name == "set_grad_enabled" and not values) or not all(isinstance(one, bool) for one in values):
            raise source.error("argument", f"{name}() takes {'True or False' if takes else 'nothing'}", context)
        self.scope.add(Enter(name, values[0] if values else None, source.span(item.context_expr)))  # type: ignore[arg-type]


STATEMENTS: dict[type[ast.stmt], Callable[..., None]] = {
    ast.Expr: Reader._expression,
    ast.Assign: Reader._assign,
    ast.AugAssign: Reader._augment,
    ast.With: Reader._with,
    ast.Import: Reader._import,
    ast.ImportFrom: Reader._import,
}
