"""A script as a syntax tree: what each name is bound to, line by line and function by function, and in which mode."""

from __future__ import annotations

import ast
import tokenize
from dataclasses import dataclass, field
from functools import cached_property

from gradcli.training.script.bindings import bound
from gradcli.training.script.expressions import shortened
from gradcli.training.script.modes import Off, behind, inside, off_by

LONGEST = 2_000_000  # characters of a script that is read
_TEXT = 60  # characters of a line that a sentence repeats


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
        return shortened(self.lines[number - 1].strip(), _TEXT) if 0 < number <= len(self.lines) else ""

    def bound_before(self, name: str, number: int) -> Binding | None:
        """What a name of the script was last bound to before a line; in a loop, the last of all."""
        found = self.main.bindings.get(name, [])
        before = [one for one in found if one.line < number] or found
        return before[-1] if before else None

    def scope_at(self, number: int) -> Scope:
        """The innermost function around a line, or the script itself."""
        around = [
            one for one in self.scopes
            if one.function is not None and one.function.lineno <= number <= (one.function.end_lineno or 0)
        ]  # fmt: skip
        return max(around, key=lambda one: one.function.lineno, default=self.main)  # type: ignore[union-attr]

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
            self._block(one.body, scope, inside(one, off))
        elif isinstance(one, ast.Return) and one.value is not None:
            scope.returns.append(one.value)
        else:
            for name, value in bound(one):
                scope.bindings.setdefault(name, []).append(Binding(name, value, one.lineno, off))
            for part in ("body", "orelse", "finalbody"):
                self._block(getattr(one, part, []), scope, off)
            for handler in getattr(one, "handlers", []):
                self._block(handler.body, scope, off)
        return behind(one, off)

    def _function(self, function: ast.FunctionDef, outer: Scope, owner: str | None) -> Scope:
        scope = Scope(function, outer, owner)
        self.scopes.append(scope)
        scope.off = next((off for one in function.decorator_list if (off := off_by(one)) is not None), None)
        self._block(function.body, scope, scope.off)
        return scope


def read(file: str) -> Source | None:
    """The script in a file; None where it cannot be read as one."""
    try:
        with tokenize.open(file) as stream:
            text = stream.read(LONGEST)
        return Source(text)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
