"""A value for each input: given by name, given to the only input, or the default."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from gradcli.errors import GradcliError
from gradcli.language import numbers, slips
from gradcli.language.parser import parse
from gradcli.language.program import Input, Program
from gradcli.language.ranges import Range
from gradcli.language.values import Given, read_value, split_name

DEFAULT = 5.0

Values = Any
"""A number, nested lists, text, a tensor, or for several inputs a mapping of names to these."""


def read_programs(
    expressions: Sequence[str], at: Values, const: Values, ranges: bool = False
) -> tuple[tuple[Program, ...], tuple[Given, ...], dict[str, str]]:
    """The programs of texts, a value for each input that any of them has in the order of the call, and its origin.

    `ranges`: whether a value may be a range of values.
    Raises GradcliError where a text, a value, or their fit is wrong.
    """
    for expression in expressions:
        if not isinstance(expression, str):
            raise GradcliError("usage", f"an expression is text, not {type(expression).__name__}")
    bare: list[Any] = []
    named: dict[str, Given] = {}
    for values, constant in ((at, False), (const, True)):
        for name, value in pairs(values, "const" if constant else "at"):
            if name is None:
                bare.append(value)
            elif name in named:
                raise GradcliError("usage", f"{name} was given two values")
            else:
                named[name] = given_value(name, value, constant, ranges)
    programs = tuple(parse(expression, frozenset(named)) for expression in expressions)
    inputs = list(dict.fromkeys(name for program in programs for name in program.inputs))
    if bare:
        name = _only_input(programs, [name for name in inputs if name not in named], len(bare))
        named = {name: given_value(name, bare[0], False, ranges), **named}
    origins = {name: "constant" if given.constant else "given" for name, given in named.items()}
    missing = [name for name in inputs if name not in named]
    if len(inputs) == 1 and missing and not named:
        name = missing[0]
        return programs, (Given(name, DEFAULT),), {name: "default"}
    if missing:
        raise _missing(next(one for one in programs if missing[0] in one.inputs), missing, named)
    return programs, tuple(named.values()), origins


def pairs(values: Values, option: str) -> list[tuple[str | None, Any]]:
    """Each value with its name, or None where it was given without one."""
    if values is None:
        return []
    if isinstance(values, Mapping):
        return [(str(name), value) for name, value in values.items()]
    if isinstance(values, str):
        values = (values,)
    if isinstance(values, tuple) and values and all(isinstance(one, str) for one in values):
        found: list[tuple[str | None, Any]] = [split_name(one) for one in values]
    else:
        found = [(None, values)]
    if option == "const" and any(name is None for name, _ in found):
        raise GradcliError("usage", "a constant needs its name", hint="--const NAME=VALUE")
    return found


def values_of(at: Values, const: Values, names: list[str]) -> tuple[Given, ...]:
    """Values for the parameters of a function, in their order. Raises GradcliError where one is missing or unknown."""
    found: dict[str, Given] = {}
    for values, constant in ((at, False), (const, True)):
        for name, value in pairs(values, "const" if constant else "at"):
            if name is None and len(names) != 1:
                raise GradcliError("usage", f"the function takes {', '.join(names)}", hint="write --at NAME=VALUE")
            known = name or names[0]
            if known not in names:
                raise GradcliError("usage", f"the function has no input '{known}'", hint=f"it takes {', '.join(names)}")
            found[known] = given_value(known, value, constant)
    missing = [name for name in names if name not in found]
    if missing:
        spelled = " ".join(f"--at {name}=..." for name in missing)
        raise GradcliError("value", f"no value for {', '.join(missing)}", hint=f"add {spelled}")
    return tuple(found[name] for name in names)


def given_value(name: str, value: Any, constant: bool, ranges: bool = False) -> Given:
    """A value under its name, its text read. Raises GradcliError of kind usage or value."""
    name = unicodedata.normalize("NFKC", name)
    if not name.isidentifier() or name in {"torch", "True", "False", "None"}:
        raise GradcliError("usage", f"'{name}' cannot be the name of an input")
    if isinstance(value, str):
        read = read_value(value, name)
        if isinstance(read, Range) and not ranges:
            hint = "gradcli sweep evaluates over a range"
            raise GradcliError("value", f"one value for {name} is needed, and {value.strip()} is a range", hint=hint)
        return Given(name, read, constant, value.strip())
    return Given(name, value, constant)


def _only_input(programs: Sequence[Program], open_names: list[str], count: int) -> str:
    """The one input that a value without a name can mean."""
    if count > 1:
        raise GradcliError("usage", f"{count} values were given without a name", hint="write --at NAME=VALUE")
    if len(open_names) == 1:
        return open_names[0]
    if open_names:
        spelled = " ".join(f"--at {name}=..." for name in open_names)
        message = f"the value does not say which input it is for: {', '.join(open_names)}"
        raise GradcliError("usage", message, hint=f"write {spelled}")
    hint: str | None = "it makes its own tensors: leave --at out" if any(one.steps for one in programs) else None
    for name in numbers.CONSTANTS:
        if any(re.search(rf"\b{name}\b", one.source) for one in programs):
            hint = f"'{name}' is a constant; to make it an input write --at {name}=..."
    raise GradcliError("usage", "a value was given, and the expression has no input for it", hint=hint)


def _missing(program: Program, missing: list[str], named: Mapping[str, Given]) -> GradcliError:
    first = missing[0]
    span = next(step.span for step in program.steps if isinstance(step, Input) and step.name == first)
    plain = slips.look_alike(first)
    if plain in named:
        message = f"no value for '{first}', which has {slips.scripts_of(first)} letters"
        hint = f"'{plain}' was given: type the name in the same letters"
        return GradcliError("value", message, source=program.source, span=span, hint=hint)
    for name in named:
        if slips.look_alike(name) == first:
            message = f"no value for '{first}'; '{name}' was given, which has {slips.scripts_of(name)} letters"
            hint = "type the name in the same letters"
            return GradcliError("value", message, source=program.source, span=span, hint=hint)
    listed = ", ".join(missing)
    hint = " ".join(f"--at {name}=..." for name in missing)
    return GradcliError("value", f"no value for {listed}", source=program.source, span=span, hint=f"add {hint}")
