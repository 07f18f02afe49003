"""Whether the operands of a call fit its row: their number and names, strings, and integers that drive the cost."""

from __future__ import annotations

import ast
import difflib

from gradcli.language.program import Items, Keywords, Operand, references
from gradcli.language.scope import Scope
from gradcli.language.signature import SYNONYMS, check, fitting
from gradcli.language.vocabulary import Function

Args = tuple[Operand, ...]
Placed = list[tuple[set[str], Operand, ast.expr]]


def fit(scope: Scope, node: ast.Call, found: tuple[str, Function], args: Args, kwargs: Keywords) -> None:
    """Raise GradcliError where these operands cannot be what the function takes."""
    path, function = found
    name = path.rpartition(".")[2]
    scope.located(node, check, function, path, len(args), tuple(keyword for keyword, _ in kwargs))
    given = (*args, *(operand for _, operand in kwargs))
    if not function.makes and not function.random and not any(references(operand) for operand in given):
        raise scope.source.error("argument", f"{name}() needs a tensor", node, f"make one: {name}(tensor(...))")
    placed = _placed(node, found, args, kwargs)
    _check_strings(scope, name, function, placed)
    _check_limits(scope, name, function, placed)


def _check_strings(scope: Scope, name: str, function: Function, placed: Placed) -> None:
    for parameters, operand, place in placed:
        if not isinstance(operand, str):
            if isinstance(operand, Items) and any(isinstance(one, str) for one in operand.elements):
                raise scope.source.error("argument", f"{name}() takes no list of strings", place)
            continue
        choices = next((function.strings[one] for one in parameters if one in function.strings), None)
        if choices is None and not ({"device"} & parameters):
            raise scope.source.error("argument", f"{name}() takes no string here", place)
        if choices not in (None, "*") and operand not in choices.split():
            near = difflib.get_close_matches(operand, choices.split(), 1)
            hint = f"did you mean '{near[0]}'?" if near else None
            listed = ", ".join(f"'{choice}'" for choice in choices.split())
            raise scope.source.error("argument", f"'{operand}' is not one of {listed}", place, hint)


def _check_limits(scope: Scope, name: str, function: Function, placed: Placed) -> None:
    for parameters, operand, place in placed:
        for parameter in parameters & function.limits.keys():
            most = function.limits[parameter]
            if isinstance(operand, (int, float)) and abs(operand) > most:
                raise scope.source.error(
                    "bounds",
                    f"{parameter} of {name}() is at most {most:,} here",
                    place,
                    "its cost grows with this number",
                )


def _placed(node: ast.Call, found: tuple[str, Function], args: Args, kwargs: Keywords) -> Placed:
    """Each operand with the parameters that it may mean, and where it stands."""
    lists = fitting(found[1], found[0], len(args), [keyword for keyword, _ in kwargs])
    nodes = [*([node.func] if len(args) > len(node.args) else []), *node.args]
    placed: Placed = []
    for index, operand in enumerate(args):
        names = {one.positional[min(index, len(one.positional) - 1)] for one in lists if one.positional}
        placed.append((names, operand, nodes[index]))
    for (keyword, operand), written in zip(kwargs, node.keywords, strict=True):
        placed.append(({keyword, SYNONYMS.get(keyword, keyword)}, operand, written.value))
    return placed
