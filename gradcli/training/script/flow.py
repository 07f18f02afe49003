"""Which values a value was computed from, by the script's text, and which cut stands on the path to each."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gradcli.training.script.cuts import FACTS, Cut, cut_at, cut_by, cut_of_call, operands
from gradcli.training.script.expressions import is_module, last_name
from gradcli.training.script.source import Binding, Scope, Source

DEEP = 6  # calls of the script's own functions that are followed into each other


@dataclass(slots=True)
class Reach:
    """The names that a value was computed from: None where a path to it is not cut, else the cut nearest the value."""

    cuts: dict[str, Cut | None] = field(default_factory=dict)

    def add(self, name: str, cut: Cut | None) -> bool:
        """Remember a path; whether it tells anything new."""
        if name in self.cuts and (self.cuts[name] is None or cut is not None):
            return False
        self.cuts[name] = cut
        return True


class Flow:
    """The paths of a script. `variables` are its values: they tell the class of what is called."""

    def __init__(self, source: Source, variables: Mapping[str, object]) -> None:
        self.source = source
        self.variables = variables

    def reach(self, value: ast.expr, scope: Scope, depth: int = 0, until: int | None = None) -> Reach:
        """Everything that an expression in a scope was computed from. `until`: the line that it stands in."""
        found = Reach()
        waiting = [(name, cut, until) for name, cut in self._uses(value, None, scope, depth)]
        while waiting:
            name, cut, line = waiting.pop(0)
            if not found.add(name, cut):
                continue
            for binding in _last(self._bindings(name, scope), line):
                here = cut or cut_by(binding.off)
                waiting += [(used, cut, None) for used, cut in self._uses(binding.value, here, scope, depth)]
        return found

    def _bindings(self, name: str, scope: Scope) -> list[Binding]:
        """What a name was bound to: in its scope, in those around it, or where its function is called."""
        while scope is not self.source.main:
            if name in scope.bindings:
                return scope.bindings[name]
            if name in scope.parameters:
                return list(self._arguments(name, scope))
            scope = scope.outer or self.source.main
        return scope.bindings.get(name, [])

    def _arguments(self, name: str, scope: Scope) -> Iterator[Binding]:
        if scope.function is None or scope.owner is not None:
            return
        place = scope.parameters.index(name)
        for call in self.source.calls:
            if isinstance(call.func, ast.Name) and call.func.id == scope.function.name:
                given = dict(enumerate(call.args))
                value = given.get(place) or next((one.value for one in call.keywords if one.arg == name), None)
                if value is not None:
                    yield Binding(name, value, call.lineno, None)

    def _uses(self, node: ast.AST, cut: Cut | None, scope: Scope, depth: int) -> Iterator[tuple[str, Cut | None]]:
        """The names in an expression, each with the outermost cut around it."""
        if isinstance(node, ast.Name):
            yield node.id, cut
        elif isinstance(node, ast.Call):
            yield from self._call(node, cut, scope, depth)
        else:
            for operand, end in operands(node):
                yield from self._uses(operand, cut or end, scope, depth)

    def _call(self, node: ast.Call, cut: Cut | None, scope: Scope, depth: int) -> Iterator[tuple[str, Cut | None]]:
        inner = self.called(node, scope)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if inner is not None and depth < DEEP:
            yield from self._through(node, inner, cut, scope, depth)
            return
        here = cut or cut_of_call(node) or self._once(node, scope, depth)
        if owner is not None and not is_module(owner):
            if last_name(node) not in FACTS:
                yield from self._uses(owner, here, scope, depth)
        elif isinstance(node.func, ast.Name) and node.func.id in self.variables:
            yield node.func.id, here  # a model, or a function that holds one
        condition = node.args[0] if last_name(node) == "where" and len(node.args) == 3 else None
        for one in (*node.args, *(each.value for each in node.keywords)):
            yield from self._uses(one, here or (cut_at("G103", node) if one is condition else None), scope, depth)

    def _once(self, node: ast.Call, scope: Scope, depth: int) -> Cut | None:
        """grad(..., create_graph=True) through a Function of the script's that allows one derivative only."""
        once = {
            name for name, methods in self.source.classes.items()
            if any(last_name(one) == "once_differentiable" for one in _decorators(methods.get("backward")))
        }  # fmt: skip
        if not once or last_name(node) != "grad" or not node.args or depth >= DEEP:
            return None
        reached = self.reach(node.args[0], scope, depth + 1, until=node.lineno).cuts
        return cut_at("G206", node) if not once.isdisjoint(reached) else None

    def called(self, node: ast.Call, scope: Scope) -> Scope | None:
        """The function of the script's own that a call runs."""
        if isinstance(node.func, ast.Name):
            around: Scope | None = scope
            while around is not None:
                if node.func.id in around.functions:
                    return around.functions[node.func.id]
                around = around.outer
            kind = type(self.variables.get(node.func.id)).__name__
            return self.source.classes.get(kind, {}).get("forward")
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            name = node.func.value.id
            itself = scope.owner and name == next(iter(scope.parameters), None)
            kind = (scope.owner or "") if itself else type(self.variables.get(name)).__name__
            return self.source.classes.get(kind, {}).get(node.func.attr)
        return None

    def _through(
        self, node: ast.Call, inner: Scope, cut: Cut | None, scope: Scope, depth: int
    ) -> Iterator[tuple[str, Cut | None]]:
        """What a call of one's own function is computed from, by what it returns."""
        here = cut or cut_by(inner.off)
        found = Reach()
        for value in inner.returns:
            for name, within in self.reach(value, inner, depth + 1).cuts.items():
                found.add(name, within)
        parameters = inner.parameters[1:] if inner.owner else inner.parameters
        given = [*zip(parameters, node.args, strict=False), *((one.arg, one.value) for one in node.keywords)]
        itself = inner.parameters[0] if inner.owner and inner.parameters else ""
        if itself in found.cuts:
            owner = node.func if isinstance(node.func, ast.Name) else node.func.value  # type: ignore[attr-defined]
            yield from self._uses(owner, here or found.cuts[itself], scope, depth)
        for parameter, value in given:
            if parameter in found.cuts:
                yield from self._uses(value, here or found.cuts[parameter], scope, depth)
        for name, within in found.cuts.items():
            if name not in inner.parameters and name not in inner.bindings:
                yield name, here or within  # a name from around the function


def _last(bindings: list[Binding], line: int | None) -> list[Binding]:
    """The bindings that hold at a line: all before it; in a loop, those behind it too."""
    before = [one for one in bindings if line is None or one.line < line]
    return before or bindings


def _decorators(scope: Scope | None) -> list[ast.expr]:
    return [] if scope is None or scope.function is None else scope.function.decorator_list
