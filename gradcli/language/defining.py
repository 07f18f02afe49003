"""A text that names something, or writes into it, kept as a definition."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from gradcli.language.conversation import Definition, Names
from gradcli.language.parser import parse
from gradcli.language.program import Bind, Call, Input, Program, Ref, Step
from gradcli.language.signature import writes
from gradcli.language.source import Source
from gradcli.language.whole import Whole, read_in


def defined(names: Names, text: str, found: Whole) -> Names:
    """The names with what a text binds or writes into; the same ones where it names nothing."""
    program = parse(found.text, names.known)
    own = [step for step in program.steps if step.span.start >= found.start]
    bound = {step.name for step in own if isinstance(step, Bind) and step.name}
    written = set(_written(own, program))
    if not bound and not written:
        return names
    inputs = (read_in(Source(text).statements) & set(program.inputs)) - names.current.keys()
    one = Definition(_without_readings(text), frozenset(bound | written), inputs, found.needs, bool(written))
    current = {**names.current, **dict.fromkeys(one.names, len(names.definitions))}
    return replace(names, definitions=(*names.definitions, one), current=current)


def _written(own: list[Step], program: Program) -> Iterator[str]:
    """The names from outside a text that it writes into in place."""
    for step in own:
        target = step.args[0] if isinstance(step, Call) and step.args else None
        if isinstance(step, Call) and isinstance(target, Ref) and writes(step.function, step.args, step.kwargs):
            made = program.steps[target.step]
            if isinstance(made, (Input, Bind)) and made.name:
                yield made.name


def _without_readings(text: str) -> str:
    """The lines of a text that name or write something: what is only looked at, or goes back, need not be repeated."""
    source = Source(text)
    last = source.statements[-1]
    kept = source.statements
    if isinstance(last, ast.Expr) and len(kept) > 1 and not _in_place(last):
        kept = kept[:-1]
    stop = next((index for index, one in enumerate(kept) if _goes_back(one)), len(kept))
    return "\n".join(source.text[slice(*source.span(one))] for one in kept[:stop])


def _in_place(node: ast.Expr) -> bool:
    call = node.value
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_")


def _goes_back(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "backward"
