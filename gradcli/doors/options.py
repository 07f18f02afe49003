"""The options of a command, and the keywords of its function that they make, whatever door they came through."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from gradcli.commands.command import SHOWING, Command, Option
from gradcli.doors.show import Showing
from gradcli.errors import GradcliError


def options_of(command: Command) -> tuple[Option, ...]:
    """Its own options, and those that say how to show its result, in the formats that it has."""

    def fitted(option: Option) -> Option:
        if option.keyword != "format" or not option.choices:
            return option
        return Option("format", option.flags, option.help, default=command.formats[0], choices=command.formats)

    return (*command.options, *map(fitted, SHOWING), *command.showing)


def keywords_of(options: tuple[Option, ...], written: Iterable[tuple[Option, Any]]) -> dict[str, Any]:
    """Keywords from the options that were written, each with its value (a flag's is True); defaults for the others."""
    keywords: dict[str, Any] = {}
    for option, value in written:
        put(option, value, keywords)
    for option in options:
        flag = option.kind is bool and option.sets is None
        keywords.setdefault(option.keyword, bool(option.default) if flag else option.default)
    return keywords


def put(option: Option, value: Any, keywords: dict[str, Any]) -> None:
    """Set the keyword of an option that was written. What another has set it to already, it may not contradict."""
    meant = value if option.sets is None else option.sets
    earlier = keywords.setdefault(option.keyword, meant)
    if earlier is not meant and earlier != meant:
        raise GradcliError(
            "usage", f"{option.flags[-1]} contradicts another option: {option.keyword} is {earlier} already"
        )


def parted(command: Command, keywords: dict[str, Any]) -> tuple[Showing, dict[str, Any]]:
    """How to show the result, and the keywords of the function."""
    shown = {name: keywords[name] for name in keywords if name in Showing.__slots__}
    said = takes_notes(command)
    kept = {name: value for name, value in keywords.items() if name not in shown and (name != "notes" or said)}
    return Showing(command=command.name, **shown), kept


def takes_notes(command: Command) -> bool:
    """Whether notes can be left out."""
    return "notes" in inspect.signature(command.becomes or command.function).parameters
