"""A question as a JSON object: the command, its subject, and options by their long names."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

from gradcli import commands
from gradcli.commands.command import Command, Option
from gradcli.doors.options import options_of, set_by, takes_notes
from gradcli.doors.show import Showing
from gradcli.errors import GradcliError

EXAMPLE = '{"command": "grad", "expression": "A*5", "at": {"A": 5.0}}'
DEEPEST = 64  # dimensions of a tensor; what is nested further is refused where values are read
_PLAIN = frozenset({int, float, bool})
_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}  # as gradcli's own answers write them


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


def loaded(text: str) -> dict[str, Any]:
    """The object of a line. Raises GradcliError of kind syntax where there is none, or a key stands twice."""
    try:
        found = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        said = f"{error.msg[:1].lower()}{error.msg[1:]}".removesuffix(" at")
        raise GradcliError("syntax", f"not JSON: {said} at column {error.colno}", hint=_SUCH) from None
    except RecursionError:
        raise GradcliError("bounds", "the JSON is nested too deeply to be read", hint="use fewer [ and {") from None
    except ValueError as error:  # a whole number of more digits than Python reads
        raise GradcliError("bounds", f"not readable: {str(error).partition(';')[0].lower()}", hint=_SUCH) from None
    if not isinstance(found, dict):
        raise GradcliError("syntax", f"a line holds one object, not {_kind(found)}", hint=_SUCH)
    return found


_SUCH = f"such as {EXAMPLE}"


def request(document: dict[str, Any], defaults: Mapping[str, Any]) -> Request:
    """What an object asks. Keys of null are as if left out; `defaults`: how to show where it says nothing else.

    Notes that only another evaluation can prove are made where "verify" asks for them. Raises GradcliError of kind
    usage.
    """
    name = document.get("command")
    if name is None:
        raise GradcliError("usage", 'the object has no "command"', hint=_SUCH)
    if name not in commands.NAMES:
        raise GradcliError("usage", f"there is no command {_shown(name)}", hint=_near(name, commands.NAMES))
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
            _read(named[key], key, value, keywords, found.options)
        elif key == "notes":  # the keyword, where the flag is --no-notes
            keywords[key] = _checked(key, value, bool)
        else:
            raise GradcliError(
                "usage", f"{name} has no option {_shown(key)}", hint=_near(key, (command.subject, *named))
            )
    if subject is None and command.subject_required:
        raise GradcliError("usage", f'the object has no "{command.subject}"', hint=_SUCH)
    notes = keywords.pop("notes", defaults.get("notes", True))
    if found.notes:
        keywords["notes"] = notes and (bool(keywords.get("verify")) or "facts")
    shown = {name: keywords.pop(name) for name in _SHOWN if name in keywords}
    showing = replace(found.plain, **{**_showing(defaults), **shown}) if shown or defaults else found.plain
    return Request(command, subject, keywords, showing)


_SHOWN = frozenset(Showing.__slots__) - {"command"}


def _showing(defaults: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in defaults.items() if name in _SHOWN}


def _subject(command: Command, key: str, value: Any) -> Any:
    if isinstance(value, str):
        return value
    if command.several and isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise GradcliError("usage", f'"{key}" is text{" or a list of texts" * command.several}, not {_kind(value)}')


def _read(option: Option, key: str, value: Any, keywords: dict[str, Any], options: tuple[Option, ...]) -> None:
    """Set the keyword of an option from a value of JSON."""
    if option.writes:
        raise GradcliError("usage", f'"{key}" writes a file, which no line may', hint=_BY_HAND)
    if option.kind is bool:
        if not _checked(key, value, bool):
            return
        if option.sets is not None:
            set_by(option, keywords, options)
            return
    keywords[option.keyword] = _value_of(option, key, value)


_BY_HAND = "ask that on a command line of its own"


def _value_of(option: Option, key: str, value: Any) -> Any:
    if option.choices:
        choices = ("json",) if option.keyword == "format" else option.choices
        if value in choices:
            return value
        raise GradcliError("usage", f'"{key}" is one of {", ".join(choices)}, not {_shown(value)}')
    if option.value:
        return _tensors(value, option.many)
    if option.many or (isinstance(value, list) and option.kind is str):
        texts = (value,) if isinstance(value, str) else value
        if not isinstance(texts, (list, tuple)) or not all(isinstance(one, str) for one in texts):
            raise GradcliError("usage", f'"{key}" is text or a list of texts, not {_kind(value)}')
        return tuple(texts) if option.many else ",".join(texts)
    if option.kind is str:
        return value if isinstance(value, str) else _checked(key, value, float)
    return _checked(key, value, option.kind)


_KINDS: dict[type, tuple[str, tuple[type, ...]]] = {
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (int, float)),
}


def _checked(key: str, value: Any, kind: type) -> Any:
    expected, types = _KINDS[kind]
    if type(value) not in types:
        raise GradcliError("usage", f'"{key}" is {expected}, not {_shown(value)}')
    return value


def _tensors(value: Any, by_name: bool) -> Any:
    """A value, or one for each name; a list of texts is as an option that is given several times: ["A=1", "B=2"]."""
    if by_name and isinstance(value, dict):
        return {name: _numbers(one) for name, one in value.items()}
    value = _numbers(value)
    texts = by_name and isinstance(value, list) and value and all(isinstance(one, str) for one in value)
    return tuple(value) if texts else value


def _numbers(value: Any, depth: int = 0) -> Any:
    """Numbers and nested lists, with those read that JSON has no words for: "NaN", {"real": 1, "imag": 2}."""
    if isinstance(value, str):
        return _NUMBERS.get(value, value)
    if isinstance(value, list):
        if depth > DEEPEST or _PLAIN.issuperset(map(type, value)):
            return value
        return [_numbers(one, depth + 1) for one in value]
    if isinstance(value, dict):
        if value.keys() == {"real", "imag"}:
            parts = [_numbers(value[part]) for part in ("real", "imag")]
            if _PLAIN.issuperset(map(type, parts)):
                return _complex(*parts)
        raise GradcliError("value", "a value is a number, a list or text", hint='complex ones: {"real": 1, "imag": 2}')
    return value


def _complex(real: float, imag: float) -> complex:
    try:
        return complex(real, imag)
    except OverflowError:
        raise GradcliError("bounds", "a whole number of this size does not fit a float64") from None


def _unlike(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise GradcliError("syntax", f"the key {_shown(twice)} stands twice")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise GradcliError("bounds", f"the number {text[:40]} does not fit a float64", hint='write "Infinity"')
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_unlike, parse_float=_finite)


def _shown(value: Any) -> str:
    return json.dumps(value)[:60] if isinstance(value, (str, int, float)) else _kind(value)


def _kind(value: Any) -> str:
    names: dict[type, str] = {list: "a list", dict: "an object", str: "text", bool: "true or false"}
    return "null" if value is None else names.get(type(value), "a number")


def _near(name: Any, names: Iterable[str]) -> str:
    listed = list(dict.fromkeys(one.replace("-", "_") for one in names))
    near = difflib.get_close_matches(name, listed, 1) if isinstance(name, str) else []
    return f"did you mean {near[0]}?" if near else f"one of {', '.join(listed)}"
