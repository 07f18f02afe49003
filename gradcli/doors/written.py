"""What is written after an option, as the value of its keyword: text, a whole number, one of its choices.

Typer would ask pydantic, whose import takes longer than all of gradcli that an error or a help text needs.
"""

from __future__ import annotations

import difflib
from typing import Any

from gradcli.commands.command import Option
from gradcli.errors import GradcliError


def as_written(parameters: list[Any]) -> list[Any]:
    """Typer's parameters, told to leave their words as they are."""
    for one in parameters:
        one._runtime_param = _Unread
    return parameters


class _Unread:
    @staticmethod
    def coerce(value: Any, **_: Any) -> Any:
        return value


def meaning(option: Option, written: Any) -> Any:
    """The value of an option's keyword. Raises GradcliError of kind usage where the option does not take it."""
    if option.many:
        return tuple(written) if written else written
    if not isinstance(written, str):
        return written  # a default, or a flag
    if option.choices and written not in option.choices:
        near = difflib.get_close_matches(written, option.choices, 1)
        hint = f"did you mean {near[0]}?" if near else None
        raise _refused(option, f"one of {', '.join(option.choices)}", written, hint)
    expected = _NUMBERS.get(option.kind)
    if expected is None:
        return written
    try:
        return option.kind(written)
    except ValueError:
        raise _refused(option, expected, written) from None


_NUMBERS: dict[type, str] = {int: "a whole number", float: "a number"}


def _refused(option: Option, expected: str, written: str, hint: str | None = None) -> GradcliError:
    return GradcliError("usage", f"{option.flags[0]} is {expected}, not '{written}'", hint=hint)
