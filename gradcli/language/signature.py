"""Whether a call fits its function's signature, and what its arguments ask for, found before torch is asked."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from gradcli.errors import GradcliError
from gradcli.language.vocabulary import NAMESPACES, Function

# torch's own synonyms for users of numpy.
SYNONYMS = {
    "axis": "dim",
    "axes": "dims",
    "keepdims": "keepdim",
    "x": "input",
    "x1": "input",
    "x2": "other",
    "a": "input",
}
# How a tensor is kept: where torch takes a device it takes these, and no answer depends on them.
STORAGE = frozenset({"layout", "pin_memory"})


@dataclass(frozen=True, slots=True)
class Parameters:
    """One parameter list: names that may stand by position, those only by keyword, those that must be given.

    `place` is the namespace that it holds for; empty where it holds for all that have no list of their own.
    """

    text: str
    place: str
    positional: tuple[str, ...]
    keyword_only: tuple[str, ...]
    required: frozenset[str]
    star: bool

    def fits(self, count: int, keywords: frozenset[str]) -> bool:
        if count > len(self.positional) and not self.star:
            return False
        given = set(self.positional[:count])
        named = {self.known(keyword) for keyword in keywords}
        return None not in named and not (named & given) and self.required <= given | named

    def known(self, keyword: str) -> str | None:
        """The parameter that a keyword means, or None."""
        names = (*self.positional, *self.keyword_only)
        if keyword in STORAGE and "device" in names:
            return keyword
        return next((name for name in (keyword, SYNONYMS.get(keyword)) if name in names), None)


@cache
def alternatives(signature: str) -> tuple[Parameters, ...]:
    """The parameter lists of a signature text: `(input, dim, keepdim=False) | F(input)`."""
    return tuple(_parameters(*text.strip().partition("(")) for text in signature.split(" | "))


def lists_at(function: Function, path: str) -> tuple[Parameters, ...]:
    """The parameter lists that hold for a function at one of its dotted names."""
    place = path[: path.rfind(".") + 1]
    lists = alternatives(function.signature)
    return tuple(one for one in lists if one.place == place) or tuple(one for one in lists if not one.place)


def _parameters(place: str, bracket: str, text: str) -> Parameters:
    text = text[:-1]
    positional: list[str] = []
    keyword_only: list[str] = []
    required: set[str] = set()
    star = after_star = False
    for part in _split(text):
        name, equals, _ = part.partition("=")
        name = name.strip()
        if name == "*":
            after_star = True
        elif name.startswith("*"):
            star = after_star = True
            positional.append(name[1:])
        else:
            (keyword_only if after_star else positional).append(name)
            if not equals:
                required.add(name)
    namespace = NAMESPACES[place] if place else ""
    shown = f"{bracket}{text})" if bracket else ""
    return Parameters(shown, namespace, tuple(positional), tuple(keyword_only), frozenset(required), star)


def _split(text: str) -> list[str]:
    """Split at the commas that stand outside brackets and quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for index, character in enumerate(text):
        if character == "'":
            quoted = not quoted
        depth += (character in "([") - (character in ")]")
        if character == "," and not depth and not quoted:
            parts.append(text[start:index].strip())
            start = index + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


# Parameters by which a call writes into its operands, each with the value that says that it does not.
_WRITERS: dict[str, object] = {"inplace": False, "max_norm": None, "running_mean": None}


def writes(function: Function, args: tuple[Any, ...], kwargs: tuple[tuple[str, Any], ...]) -> bool:
    """Whether a call may write into its operands: by its nature, or by an argument such as `inplace=True`."""
    if function.writes:
        return True
    for name in (name for name in _WRITERS if name in function.signature):
        places = [one.positional.index(name) for one in alternatives(function.signature) if name in one.positional]
        values = [args[place] for place in places if place < len(args)]
        values += [value for keyword, value in kwargs if keyword == name]
        if any(value != _WRITERS[name] for value in values):
            return True
    return False


def fitting(function: Function, path: str, count: int, keywords: Iterable[str]) -> tuple[Parameters, ...]:
    """The parameter lists that take `count` operands by position and these keywords."""
    names = frozenset(keywords)
    return tuple(one for one in lists_at(function, path) if one.fits(count, names))


def check(function: Function, path: str, count: int, keywords: tuple[str, ...]) -> None:
    """Raise GradcliError of kind argument where no parameter list takes `count` operands and these keywords."""
    if fitting(function, path, count, keywords):
        return
    shown, lists = path.rpartition(".")[2], lists_at(function, path)
    hint = "its signature: " + " or ".join(f"{shown}{one.text}" for one in lists)
    raise GradcliError("argument", _reason(shown, lists, count, keywords), hint=hint)


def _reason(shown: str, lists: tuple[Parameters, ...], count: int, keywords: tuple[str, ...]) -> str:
    known = [name for one in lists for name in (*one.positional, *one.keyword_only)]
    for keyword in keywords:
        if all(one.known(keyword) is None for one in lists):
            near = difflib.get_close_matches(keyword, known, 1)
            return f"{shown}() has no argument '{keyword}'" + (f"; did you mean '{near[0]}'?" if near else "")
    if all(not one.star and count > len(one.positional) for one in lists):
        most = max(len(one.positional) for one in lists)
        return f"{shown}() takes at most {most} operand{'s' * (most != 1)}, and got {count}"
    missing = min((_missing(one, count, keywords) for one in lists), key=len)
    if missing:
        return f"{shown}() needs {' and '.join(missing)}"
    return f"{shown}() was given an argument twice"


def _missing(one: Parameters, count: int, keywords: tuple[str, ...]) -> list[str]:
    given = {*one.positional[:count], *(one.known(keyword) for keyword in keywords)}
    return [name for name in (*one.positional, *one.keyword_only) if name in one.required - given]
