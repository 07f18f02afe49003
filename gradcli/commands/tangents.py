"""A tangent for each input that moves: given by name, or to the only input."""

from __future__ import annotations

from typing import Any

from gradcli.commands.pairing import given_value, pairs
from gradcli.errors import GradcliError
from gradcli.language.program import Bind, Program
from gradcli.language.values import Given


def tangents_of(values: Any, program: Program, given: tuple[Given, ...]) -> tuple[Given, ...]:
    """The tangents that were given, under their inputs' names. Raises GradcliError of kind usage or value."""
    inputs = [one.name for one in given if not one.constant]
    made = [step.name for step in program.steps if isinstance(step, Bind) and step.name]
    named: dict[str, Given] = {}
    if not (inputs or made):
        raise GradcliError("usage", "nothing moves along a tangent: there is no input that requires grad")
    for name, value in pairs(values, "tangent"):
        if name is None and len(inputs or made) != 1:
            spelled = " ".join(f"--tangent {one}=..." for one in inputs)
            message = f"the tangent does not say which input it is for: {', '.join(inputs)}"
            raise GradcliError("usage", message, hint=f"write {spelled}")
        known = name or (inputs or made)[0]
        if known in named:
            raise GradcliError("usage", f"{known} was given two tangents")
        if known not in (*inputs, *made):
            hint = f"the inputs: {', '.join(inputs) or 'none'}"
            raise GradcliError("usage", f"--tangent names '{known}', which is not an input", hint=hint)
        named[known] = given_value(known, value, True)
    if not named:
        hint = " ".join(f"--tangent {one}=..." for one in inputs[:3])
        raise GradcliError("usage", "a directional derivative needs a direction", hint=f"add {hint}" if hint else None)
    return tuple(named.values())
