"""A text with the definitions that it needs, read as the lines of one snippet, so that the graph reaches the inputs.

`A = 5.0`, then `B = A**2`, then `3*B` is the snippet `B = A**2`, `3*B` with a value for A.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradcli.errors import GradcliError, Span
from gradcli.language.conversation import Definition, Names, folded
from gradcli.language.parser import NothingToCompute, parse
from gradcli.language.source import Source


@dataclass(frozen=True, slots=True)
class Whole:
    """A text after the definitions that it needs, where the text itself begins, and the inputs of all that."""

    text: str
    start: int
    inputs: tuple[str, ...]
    needs: frozenset[int] = frozenset()


def whole(text: str, names: Names) -> Whole:
    """A text with the definitions that it needs. Raises GradcliError, told in the text, where it cannot be read."""
    reads = read_in(Source(text).statements)
    needs = _needed(reads, names)
    earlier = [names.definitions[index] for index in sorted(needs)]
    _refuse_two_meanings(earlier, reads & names.values.keys() - names.current.keys())
    read = reads.union(*(read_in(Source(one.text).statements) for one in earlier)) if names.modules else reads
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


def _refuse_two_meanings(earlier: Sequence[Definition], reads: frozenset[str]) -> None:
    """Refuse a name that is an input here, and a definition in something that is used here."""
    defined: frozenset[str] = frozenset()
    for inputs, names in (*((one.inputs, one.names) for one in earlier), (reads, frozenset())):
        if twice := inputs & defined:
            name = min(twice)
            message = f"'{name}' is an input here, and a definition that was given this name is used as well"
            hint = f"give one of them another name, or define anew what was made from {name}"
            raise GradcliError("name", message, hint=hint)
        defined |= names


def read_in(statements: list[ast.stmt]) -> frozenset[str]:
    """The names that statements read, or write into."""
    nodes = [node for one in statements for node in ast.walk(one)]
    augmented = [node.target for node in nodes if isinstance(node, ast.AugAssign)]
    loaded = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return frozenset(folded(node.id) for node in (*loaded, *augmented) if isinstance(node, ast.Name))


def moved(error: GradcliError, source: str, start: int, typed: str) -> GradcliError:
    """An error in `source`, told in what was typed where it lies there: in what follows `start`."""
    if error.source == source and (error.span is None or error.span.start >= start):
        error.source = typed
        error.span = error.span and Span(error.span.start - start, error.span.end - start)
    return error
