"""What a conversation has named so far: values of inputs, and definitions in terms of them.

A definition is text. Whatever uses its name later is read together with it, as the lines of one snippet, so that the
graph reaches to the inputs: `A = 5.0`, then `B = A**2`, then `3*B` is the snippet `B = A**2`, `3*B` with a value for A.
"""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from gradcli.errors import GradcliError, Span
from gradcli.language.files import is_file
from gradcli.language.parser import NothingToCompute, parse
from gradcli.language.program import Bind, Call, Input, Program, Ref, Step
from gradcli.language.scope import ROOTS
from gradcli.language.signature import writes
from gradcli.language.source import Source
from gradcli.language.values import read_value, split_name


@dataclass(frozen=True, slots=True)
class Value:
    """The value of an input as it was written; one that random numbers make is the `drawn`-th of these."""

    text: str
    constant: bool = False
    drawn: int | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A text that names something: what it names or writes into, the inputs and the earlier definitions it reads."""

    text: str
    names: frozenset[str]
    inputs: frozenset[str]
    needs: frozenset[int]
    writes: bool


@dataclass(frozen=True, slots=True)
class Names:
    """All that was named: an input has a value, and a name in `current` stands for a definition."""

    values: Mapping[str, Value] = field(default_factory=dict)
    definitions: tuple[Definition, ...] = ()
    current: Mapping[str, int] = field(default_factory=dict)
    modules: Mapping[str, str] = field(default_factory=dict)  # the line that imports a module under a name of its own

    @property
    def known(self) -> frozenset[str]:
        return frozenset(self.values) | frozenset(self.current)


@dataclass(frozen=True, slots=True)
class Whole:
    """A text after the definitions that it needs, where the text itself begins, and the inputs of all that."""

    text: str
    start: int
    inputs: tuple[str, ...]
    needs: frozenset[int] = frozenset()


def moved(error: GradcliError, source: str, start: int, typed: str) -> GradcliError:
    """An error in `source`, told in what was typed where it lies there: in what follows `start`."""
    if error.source == source and (error.span is None or error.span.start >= start):
        error.source = typed
        error.span = error.span and Span(error.span.start - start, error.span.end - start)
    return error


def value_in(text: str, names: Names) -> tuple[str, str] | None:
    """The name and the value of a text such as `A = 5.0`; None where it is anything else."""
    name, written = split_name(text)
    if name is None:
        return None
    written = written.strip()
    if is_file(written):
        return name, written
    try:
        statements = Source(text).statements
        if len(statements) != 1 or not isinstance(statements[0], ast.Assign) or len(statements[0].targets) != 1:
            return None
        return None if _read_in(statements) & names.known or parse(text).inputs else (name, written)
    except GradcliError:
        return None


def with_value(names: Names, name: str, text: str, constant: bool = False) -> Names:
    """The names with a value for an input. Raises GradcliError where the text is no value."""
    refuse_typed(text)
    read = read_value(text, name)
    drawn = sum(one.drawn is not None for one in names.values.values())
    value = Value(text, constant, drawn if isinstance(read, Program) and read.random else None)
    current = {one: index for one, index in names.current.items() if one != name}
    return replace(names, values={**names.values, name: value}, current=current)


def refuse_typed(text: str) -> None:
    """Refuse `-` and `@-`: standard input is what the conversation itself is read from."""
    if text == "-" or text.startswith("@-"):
        raise GradcliError("usage", "standard input is where you type", hint="give a text, or a file: @FILE")


def whole(text: str, names: Names) -> Whole:
    """A text with the definitions that it needs. Raises GradcliError, told in the text, where it cannot be read."""
    reads = _read_in(Source(text).statements)
    needs = _needed(reads, names)
    earlier = [names.definitions[index] for index in sorted(needs)]
    _refuse_two_meanings(earlier, reads & names.values.keys() - names.current.keys())
    read = reads.union(*(_read_in(Source(one.text).statements) for one in earlier)) if names.modules else reads
    imports = dict.fromkeys(line for name, line in names.modules.items() if name in read)
    before = "".join(f"{one}\n" for one in (*imports, *(one.text for one in earlier)))
    try:
        program = parse(before + text, names.known)
    except GradcliError as error:
        if isinstance(error, NothingToCompute):
            error.hint = _INSTEAD.get(error.instead, error.hint)
        raise moved(error, before + text, len(before), text) from None
    return Whole(before + text, len(before), program.inputs, needs)


# What a text does that computes nothing, and what to write.
_INSTEAD: Mapping[str | None, str] = {
    "grad": "each answer shows .grad of the inputs: write what to go back from, such as loss",
    "seed": "write :seed N for the numbers that follow",
}


def defined(names: Names, text: str, found: Whole) -> Names:
    """The names with what a text binds or writes into; the same ones where it names nothing."""
    program = parse(found.text, names.known)
    own = [step for step in program.steps if step.span.start >= found.start]
    bound = {step.name for step in own if isinstance(step, Bind) and step.name}
    written = set(_written(own, program))
    if not bound and not written:
        return names
    inputs = (_read_in(Source(text).statements) & set(program.inputs)) - names.current.keys()
    one = Definition(_without_readings(text), frozenset(bound | written), inputs, found.needs, bool(written))
    current = {**names.current, **dict.fromkeys(one.names, len(names.definitions))}
    return replace(names, definitions=(*names.definitions, one), current=current)


def imported(names: Names, text: str) -> Names:
    """The names with those that imports give to modules. Raises GradcliError where one cannot be imported here."""
    aliases = [alias for one in Source(text).statements for alias in one.names]  # type: ignore[attr-defined]
    parse(f"{text}\nA")
    made = {folded(one.asname): text for one in aliases if one.asname}
    return replace(names, modules={**names.modules, **{one: made[one] for one in made.keys() - ROOTS.keys()}})


def forgotten(names: Names, name: str) -> Names:
    """The names without one of them; definitions that were made from it keep it."""
    name = folded(name)
    if name not in names.known:
        raise GradcliError(
            "name", f"nothing is called '{name}'", hint=f"named so far: {', '.join(sorted(names.known))}"
        )
    values = {one: value for one, value in names.values.items() if one != name}
    current = {one: index for one, index in names.current.items() if one != name}
    return replace(names, values=values, current=current)


def folded(name: str) -> str:
    """A name as Python reads it."""
    return unicodedata.normalize("NFKC", name)


def _read_in(statements: list[ast.stmt]) -> frozenset[str]:
    """The names that statements read, or write into."""
    nodes = [node for one in statements for node in ast.walk(one)]
    augmented = [node.target for node in nodes if isinstance(node, ast.AugAssign)]
    loaded = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return frozenset(folded(node.id) for node in (*loaded, *augmented) if isinstance(node, ast.Name))


def _needed(reads: frozenset[str], names: Names) -> frozenset[int]:
    """The definitions that are read, those that they need, and those that write into any of them."""
    found: set[int] = set()
    for name in reads & names.current.keys():
        found |= {names.current[name], *names.definitions[names.current[name]].needs}
    while True:
        writers = {index for index, one in enumerate(names.definitions) if one.writes and one.needs & found} - found
        if not writers:
            return frozenset(found)
        found |= writers.union(*(names.definitions[index].needs for index in writers))


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


def _refuse_two_meanings(earlier: list[Definition], reads: frozenset[str]) -> None:
    """Refuse a name that is an input here, and a definition in something that is used here."""
    defined_names: set[str] = set()
    for one in earlier:
        _refuse(one.inputs & defined_names)
        defined_names |= one.names
    _refuse(reads & defined_names)


def _refuse(twice: frozenset[str] | set[str]) -> None:
    if twice:
        name = min(twice)
        message = f"'{name}' is an input here, and a definition that was given this name is used as well"
        raise GradcliError(
            "name", message, hint=f"give one of them another name, or define anew what was made from {name}"
        )
