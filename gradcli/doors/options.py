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


def keywords_of(options: tuple[Option, ...], values: Iterable[tuple[Option, Any]]) -> dict[str, Any]:
    """Keywords from the value of each option; a flag that sets a keyword wins over its default."""
    keywords: dict[str, Any] = {}
    for option, value in values:
        if option.kind is bool and option.sets is not None:
            if value:
                set_by(option, keywords, options)
            else:
                keywords.setdefault(option.keyword, option.default)
        else:
            keywords[option.keyword] = value
    return keywords


def set_by(option: Option, keywords: dict[str, Any], options: tuple[Option, ...]) -> None:
    """Set a keyword by a flag; two flags that contradict each other are refused."""
    default = next(one.default for one in options if one.keyword == option.keyword)
    earlier = keywords.get(option.keyword, default)
    if earlier not in (default, None, option.sets):
        raise GradcliError(
            "usage", f"{option.flags[0]} contradicts another option: {option.keyword} is {earlier} already"
        )
    keywords[option.keyword] = option.sets


def parted(command: Command, keywords: dict[str, Any]) -> tuple[Showing, dict[str, Any]]:
    """How to show the result, and the keywords of the function."""
    shown = {name: keywords[name] for name in keywords if name in Showing.__slots__}
    said = takes_notes(command)
    kept = {name: value for name, value in keywords.items() if name not in shown and (name != "notes" or said)}
    return Showing(command=command.name, **shown), kept


def takes_notes(command: Command) -> bool:
    """Whether notes can be left out."""
    return "notes" in inspect.signature(command.becomes or command.function).parameters
