"""A script as a syntax tree: what each name is bound to, line by line and function by function, and in which mode."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

LONGEST = 2_000_000  # characters of a script that is read
# What turns recording off, and what a sentence calls it.
MODES = {"no_grad": "no_grad", "inference_mode": "inference mode", "set_grad_enabled": "set_grad_enabled(False)"}
_TEXT = 60  # characters of a line that a sentence repeats


@dataclass(frozen=True, slots=True)
class Off:
    """Where gradients are switched off: by which mode, and at which line."""

    mode: str
    line: int


@dataclass(frozen=True, slots=True)
class Binding:
    """A value that a name is given: its expression, its line, and whether gradients are off there."""

    name: str
    value: ast.expr
    line: int
    off: Off | None


@dataclass(slots=True)
class Scope:
    """The bindings of a function or of the script itself, in the order of the text."""

    function: ast.FunctionDef | None
    outer: Scope | None
    owner: str | None = None  # the class that a method belongs to
    off: Off | None = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    functions: dict[str, Scope] = field(default_factory=dict)
    returns: list[ast.expr] = field(default_factory=list)

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters in their order."""
        return [] if self.function is None else [one.arg for one in self.function.args.args]


class Source:
    """The text of a script, its scopes, and its lines."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.tree = ast.parse(text)
        self.scopes: list[Scope] = []
        self.classes: dict[str, dict[str, Scope]] = {}
        self.main = Scope(None, None)
        self._block(self.tree.body, self.main, None)

    def line(self, number: int) -> str:
        """What stands in a line."""
        text = self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""
        return text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"

    def bound_before(self, name: str, number: int) -> Binding | None:
        """What a name of the script was last bound to before a line; in a loop, the last of all."""
        found = self.main.bindings.get(name, [])
        before = [one for one in found if one.line < number] or found
        return before[-1] if before else None

    def scope_at(self, number: int) -> Scope:
        """The innermost function around a line, or the script itself."""
        inside = [
            one for one in self.scopes
            if one.function is not None and one.function.lineno <= number <= (one.function.end_lineno or 0)
        ]  # fmt: skip
        return max(inside, key=lambda one: one.function.lineno, default=self.main)  # type: ignore[union-attr]

    def calls_at(self, number: int) -> list[ast.Call]:
        """The calls that stand in a line, the outermost first."""
        return [one for one in self.calls if one.lineno <= number <= (one.end_lineno or one.lineno)]

    @cached_property
    def calls(self) -> list[ast.Call]:
        """Every call of the script."""
        return [one for one in ast.walk(self.tree) if isinstance(one, ast.Call)]

    # Reading it

    def _block(self, body: list[ast.stmt], scope: Scope, off: Off | None) -> None:
        for statement in body:
            off = self._statement(statement, scope, off)

    def _statement(self, one: ast.stmt, scope: Scope, off: Off | None) -> Off | None:
        """Take what a statement binds; the mode that holds for the statements behind it."""
        if isinstance(one, ast.FunctionDef):
            scope.functions[one.name] = self._function(one, scope, None)
        elif isinstance(one, ast.ClassDef):
            self.classes[one.name] = {
                each.name: self._function(each, scope, one.name)
                for each in one.body
                if isinstance(each, ast.FunctionDef)
            }
        elif isinstance(one, ast.With):
            self._with(one, scope, off)
        elif isinstance(one, ast.Return) and one.value is not None:
            scope.returns.append(one.value)
        else:
            for name, value in _bound(one):
                scope.bindings.setdefault(name, []).append(Binding(name, value, one.lineno, off))
            for part in ("body", "orelse", "finalbody"):
                self._block(getattr(one, part, []), scope, off)
            for handler in getattr(one, "handlers", []):
                self._block(handler.body, scope, off)
            if isinstance(one, ast.Expr):
                return _switched(one.value, off)
        return off

    def _function(self, function: ast.FunctionDef, outer: Scope, owner: str | None) -> Scope:
        scope = Scope(function, outer, owner)
        self.scopes.append(scope)
        scope.off = next((off for one in function.decorator_list if (off := _off(one)) is not None), None)
        self._block(function.body, scope, scope.off)
        return scope

    def _with(self, one: ast.With, scope: Scope, off: Off | None) -> None:
        for item in one.items:
            call = item.context_expr
            if _name_of(call) == "enable_grad" or (_name_of(call) == "set_grad_enabled" and _first(call) is True):
                off = None
            off = _off(call) or off
        self._block(one.body, scope, off)


def read(file: str) -> Source | None:
    """The script in a file; None where it cannot be read as one."""
    try:
        with tokenize.open(file) as stream:
            text = stream.read(LONGEST)
        return Source(text)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _bound(one: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The names that a statement gives a value, and flags that it sets on one."""
    if isinstance(one, ast.Assign):
        for target in one.targets:
            yield from _targets(target, one.value)
    elif isinstance(one, ast.AugAssign):
        whole = ast.copy_location(ast.BinOp(_loaded(one.target), one.op, one.value), one)
        yield from _targets(one.target, ast.fix_missing_locations(whole))
    elif isinstance(one, ast.AnnAssign) and one.value is not None:
        yield from _targets(one.target, one.value)
    elif isinstance(one, ast.For):
        yield from _targets(one.target, one.iter)
    elif isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and isinstance(one.value.func, ast.Attribute):
        owner, method = one.value.func.value, one.value.func.attr
        if isinstance(owner, ast.Name) and (method.endswith("_") and not method.startswith("_")):
            yield owner.id, one.value
        elif isinstance(owner, ast.Name) and method in {"append", "add", "extend"}:
            for argument in one.value.args:
                yield owner.id, argument


def _targets(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        values = (
            value.elts if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts) else None
        )
        for index, one in enumerate(target.elts):
            yield from _targets(one, values[index] if values else value)
    elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        if target.attr == "requires_grad":
            called = ast.Attribute(_loaded(target.value), "requires_grad_", ast.Load())
            yield target.value.id, ast.fix_missing_locations(ast.copy_location(ast.Call(called, [], []), target))
    elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        yield target.value.id, value


def _loaded(target: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Name(target.id, ast.Load()), target) if isinstance(target, ast.Name) else target


def _off(call: ast.expr) -> Off | None:
    """The mode of `torch.no_grad()` and the like, with or without brackets."""
    mode = _name_of(call)
    if mode not in MODES:
        return None
    if mode == "no_grad" or (_first(call) is not False if mode == "inference_mode" else _first(call) is False):
        return Off(mode, call.lineno)
    return None


def _switched(call: ast.expr, off: Off | None) -> Off | None:
    """The mode after a statement: set_grad_enabled() works without `with`; no_grad() does nothing so."""
    if isinstance(call, ast.Call) and _name_of(call) == "set_grad_enabled":
        return _off(call)
    return off


def _name_of(call: ast.expr) -> str:
    """The last part of what is called, or named."""
    called = call.func if isinstance(call, ast.Call) else call
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def _first(call: ast.expr) -> object:
    argument = call.args[0] if isinstance(call, ast.Call) and call.args else None
    return argument.value if isinstance(argument, ast.Constant) else None
