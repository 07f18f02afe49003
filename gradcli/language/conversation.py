"""What a conversation has named so far: values of inputs, definitions in terms of them, and modules."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gradcli.errors import GradcliError
from gradcli.language.parser import parse
from gradcli.language.program import Program
from gradcli.language.scope import ROOTS
from gradcli.language.source import Source
from gradcli.language.values import read_value


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


def with_value(names: Names, name: str, text: str, constant: bool = False) -> Names:
    """The names with a value for an input. Raises GradcliError where the text is no value."""
    refuse_standard_input(text)
    read = read_value(text, name)
    drawn = sum(one.drawn is not None for one in names.values.values())
    value = Value(text, constant, drawn if isinstance(read, Program) and read.random else None)
    current = {one: index for one, index in names.current.items() if one != name}
    return replace(names, values={**names.values, name: value}, current=current)


def refuse_standard_input(text: str) -> None:
    """Refuse `-` and `@-`: standard input is what the conversation itself is read from."""
    if text == "-" or text.startswith("@-"):
        raise GradcliError("usage", "standard input is where you type", hint="give a text, or a file: @FILE")


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
