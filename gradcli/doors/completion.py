"""What a half-typed word of a command line may become: functions, diagnoses, files. Nothing here needs torch."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from gradcli.commands.command import Command, Option
from gradcli.commands.explain import known

Completed = Iterator[tuple[str, str]]
"""Whole words that begin with what was typed, and what is said of each."""
Way = Callable[[str], Completed]

_LAST = re.compile(r"(?:([^\W\d][\w.]*)\.)?(\w*)$")
_FILE = re.compile(r"((?:\w+=)?@)(.*)", re.DOTALL)
_SHOWN = 60  # characters of a signature


def of_subject(command: Command) -> Way | None:
    """How the subject of a command is completed; None where it is a file, which shells complete themselves."""
    return _SUBJECTS.get((command.subject, command.reads))


def of_option(option: Option) -> Way | None:
    """How the value of an option is completed: choices are Typer's, files the shell's."""
    return value if option.value else None


def expression(typed: str) -> Completed:
    """The last name of an expression as each function that begins so: `sin(A)*ex` as `sin(A)*exp(`.

    >>> [word for word, _ in expression("sin(A)*softm")]
    ['sin(A)*softmax(', 'sin(A)*softmin(']

    Where only one is left its arguments are told, too: a shell then leaves the word open.
    """
    if _FILE.fullmatch(typed):
        yield from files(typed)
        return
    last = _LAST.search(typed)
    if last is None or not (last[2] or last[1]):
        return
    before = typed[: last.start(2)]
    found = sorted(one for one in _names(last[1]).items() if one[0].startswith(last[2]))
    yield from ((before + name, said) for name, said in found)
    if len(found) == 1 and found[0][0].endswith("(") and len(found[0][1]) <= _SHOWN:
        yield f"{before}{found[0][0]}{found[0][1][1:]}", ""


def value(typed: str) -> Completed:
    """A value as an expression, behind its name: `A=ran`."""
    name, equals, text = typed.rpartition("=")
    for word, said in (*files(typed), *expression(text)) if not text.startswith("@") else files(typed):
        yield (word if word.startswith(typed) else f"{name}{equals}{word}"), said


def pattern(typed: str) -> Completed:
    """The names of functions that begin so."""
    from gradcli.language.vocabulary import functions

    yield from sorted({one.name: one.summary for one in functions() if one.name.startswith(typed)}.items())


def question(typed: str) -> Completed:
    """Codes, and where something is typed also names of diagnoses and nodes, that begin so."""
    if typed.startswith("@"):
        yield from files(typed)
        return
    found = [one for one in known().items() if one[0].startswith(typed)]
    yield from found if typed else [one for one in found if one[0][1:].isdigit()]


def files(typed: str) -> Completed:
    """Files and folders that begin as what stands behind an @."""
    found = _FILE.fullmatch(typed)
    if found is None:
        return
    folder, name = os.path.split(found[2])
    try:
        entries = sorted(os.scandir(os.path.expanduser(folder) or "."), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(name) and (name or not entry.name.startswith(".")):
            path = os.path.join(folder, entry.name) + "/" * entry.is_dir()
            yield f"{found[1]}{path}", ""


def rejoined(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables with which bash tells what was typed, where it parted the last word behind an @: `A=`, `@sn`.

    It parts words there where they are not in quotes, and yet it replaces what stands from the @ on.
    """
    words, index = variables.get("COMP_WORDS", "").split("\n"), variables.get("COMP_CWORD", "")
    last = int(index) if index.isdigit() else 0
    typed = words[last] if 0 < last < len(words) else ""
    before, sign, _ = words[last - 1].rpartition("@") if last > 1 else ("", "", "")
    if typed.endswith("=@"):
        words[last:] = [typed[:-1], "@"]
    elif sign and words[last - 1].endswith("@"):
        words[last - 1 :] = [*filter(None, [before]), f"@{typed}"]
    else:
        return {}
    return {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}


def _names(place: str | None) -> Mapping[str, str]:
    """What may stand behind a dot, or without one: names with their signatures, functions with an opening bracket."""
    from gradcli.language import numbers
    from gradcli.language.scope import ROOTS
    from gradcli.language.vocabulary import BARE, NAMESPACES, by_path

    if place is None:
        constants = dict.fromkeys(numbers.CONSTANTS, "constant")
        roots = {f"{name}.": "namespace" for name in ROOTS if name != "math"}
        return {**_inside(reversed(BARE), attributes=False), **constants, **roots}
    first, _, rest = place.partition(".")
    if first not in ROOTS:
        return _inside([NAMESPACES["Tensor"]])
    whole = ".".join(filter(None, (ROOTS[first], rest))) + "."
    below = [path.removeprefix(whole) for path in by_path() if path.startswith(whole)]
    spaces = {path.partition(".")[0] for path in below if "." in path} - {"Tensor"}
    return {**_inside([whole]), **{f"{name}.": "namespace" for name in spaces}}


def _inside(places: Iterable[str], attributes: bool = True) -> dict[str, str]:
    """The functions of namespaces; a name that several have is that of the last."""
    from gradcli.language.vocabulary import by_path

    found: dict[str, str] = {}
    for place in places:
        for path, one in by_path().items():
            name = path.removeprefix(place)
            if path.startswith(place) and "." not in name and (attributes or not one.attribute):
                found[name if one.attribute else f"{name}("] = (
                    one.summary if one.attribute else _signature(one.signature)
                )
    return found


def _signature(text: str) -> str:
    """The first of a function's parameter lists."""
    first = text.split(" | ")[0]
    return first[first.find("(") :]


_SUBJECTS: Mapping[tuple[str, str], Way] = {
    ("expression", "text"): expression,
    ("expression", "log"): question,
    ("pattern", "text"): pattern,
}
