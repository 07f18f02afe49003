"""A question as a JSON object: the command, its subject, and options by their long names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

from gradcli import commands
from gradcli.commands.command import Command, Option
from gradcli.doors.documents import SUCH, kind_of, said, tensors
from gradcli.doors.options import options_of, put, takes_notes
from gradcli.doors.show import Showing
from gradcli.errors import GradcliError


class Request(NamedTuple):
    """What a line asks: `subject` as it is written there, and the keywords of the command's function."""

    command: Command
    subject: Any
    keywords: dict[str, Any]
    showing: Showing


@dataclass(frozen=True, slots=True)
class Known:
    """What an object that names a command may hold: each option under each of its names."""

    command: Command
    options: tuple[Option, ...]
    named: dict[str, Option]
    plain: Showing
    notes: bool


@cache
def known(name: str) -> Known:
    """The keys that a command takes: `no-grad`, `no_grad`, and where it is called otherwise the API's keyword."""
    command = commands.command(name)
    options = options_of(command)
    named: dict[str, Option] = {}
    for option in options:
        for flag in option.flags:
            if flag.startswith("--"):
                named |= {flag[2:]: option, flag[2:].replace("-", "_"): option}
    return Known(command, options, named, Showing(format="json", command=name), takes_notes(command))


def request(document: dict[str, Any], defaults: Mapping[str, Any]) -> Request:
    """What an object asks. Keys of null are as if left out; `defaults`: how to show where it says nothing else.

    Notes that only another evaluation can prove are made where "verify" asks for them. Raises GradcliError of kind
    usage.
    """
    name = document.get("command")
    if name is None:
        raise GradcliError("usage", 'the object has no "command"', hint=SUCH)
    if not isinstance(name, str):
        raise GradcliError("usage", f'"command" is text, not {kind_of(name)}', hint=SUCH)
    if name not in commands.NAMES:
        raise GradcliError("usage", f"there is no command {said(name)}", hint=_near(name, _ANSWERING))
    found = known(name)
    command, named = found.command, found.named
    subject: Any = None
    keywords: dict[str, Any] = {}
    for key, value in document.items():
        if key in ("command", "id") or value is None:
            continue
        if key == command.subject:
            subject = _subject(command, key, value)
        elif key in named:
            _read(named[key], key, value, keywords)
        elif key == "notes":  # the keyword, where the flag is --no-notes
            put(_NOTES, _checked(key, value, bool), keywords)
        else:
            raise GradcliError("usage", f"{name} has no option {said(key)}", hint=_instead(key, found))
    if subject is None and command.subject_required:
        raise GradcliError("usage", f'the object has no "{command.subject}"', hint=SUCH)
    notes = keywords.pop("notes", defaults.get("notes", True))
    if found.notes:
        keywords["notes"] = notes and (bool(keywords.get("verify")) or "facts")
    shown = {name: keywords.pop(name) for name in _SHOWN if name in keywords}
    showing = replace(found.plain, **{**_showing(defaults), **shown}) if shown or defaults else found.plain
    return Request(command, subject, keywords, showing)


_NOTES = Option("notes", ("--notes",), "", bool)
_SHOWN = frozenset(Showing.__slots__) - {"command"}


def _showing(defaults: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in defaults.items() if name in _SHOWN}


def _subject(command: Command, key: str, value: Any) -> Any:
    if isinstance(value, str):
        return value
    if command.several and isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise GradcliError("usage", f'"{key}" is text{" or a list of texts" * command.several}, not {kind_of(value)}')


def _read(option: Option, key: str, value: Any, keywords: dict[str, Any]) -> None:
    """Set the keyword of an option from a value of JSON."""
    if option.writes:
        raise GradcliError("usage", f'"{key}" writes a file, which no line may', hint=_BY_HAND)
    if option.kind is not bool:
        put(option, _value_of(option, key, value), keywords)
    elif _checked(key, value, bool):
        put(option, True, keywords)


_BY_HAND = "ask that on a command line of its own"


def _value_of(option: Option, key: str, value: Any) -> Any:
    if option.choices:
        choices = ("json",) if option.keyword == "format" else option.choices
        if value in choices:
            return value
        raise GradcliError("usage", f'"{key}" is one of {", ".join(choices)}, not {said(value)}')
    if option.value:
        return tensors(value, option.many)
    if option.many or (isinstance(value, list) and option.kind is str):
        texts = (value,) if isinstance(value, str) else value
        if not isinstance(texts, (list, tuple)) or not all(isinstance(one, str) for one in texts):
            raise GradcliError("usage", f'"{key}" is text or a list of texts, not {kind_of(value)}')
        return tuple(texts) if option.many else ",".join(texts)
    if option.kind is str:
        return _checked(key, value, str)
    return _checked(key, value, option.kind)


_KINDS: dict[type, tuple[str, tuple[type, ...]]] = {
    str: ("text or a number", (str, int, float)),  # a number such as 1024 for "1024"
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
}


def _checked(key: str, value: Any, kind: type) -> Any:
    expected, types = _KINDS[kind]
    if type(value) not in types:
        raise GradcliError("usage", f'"{key}" is {expected}, not {said(value)}')
    return value


def _instead(key: str, found: Known) -> str:
    """What a key that a command does not have was meant to be; its subject has another name in other commands."""
    if key in _SUBJECTS and found.command.subject:
        return f'what it is asked about is its "{found.command.subject}"'
    return _near(key, (found.command.subject, *found.named))


_ANSWERING = tuple(name for name in commands.NAMES if commands.command(name).becomes is None)
_SUBJECTS = frozenset({commands.command(name).subject for name in commands.NAMES})


def _near(name: Any, names: Iterable[str]) -> str:
    listed = list(dict.fromkeys(one.replace("-", "_") for one in names))
    near = difflib.get_close_matches(name, listed, 1) if isinstance(name, str) else []
    return f"did you mean {near[0]}?" if near else f"one of {', '.join(listed)}"
