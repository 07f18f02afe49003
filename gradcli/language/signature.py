"""Whether a call fits its function's signature, found before torch is asked."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import cache

from gradcli.errors import GradcliError
from gradcli.language.vocabulary import Function

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


@dataclass(frozen=True, slots=True)
class Parameters:
    """One parameter list: names that may stand by position, those only by keyword, those that must be given."""

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
        return next((name for name in (keyword, SYNONYMS.get(keyword)) if name in names), None)


@cache
def alternatives(signature: str) -> tuple[Parameters, ...]:
    """The parameter lists of a signature text: `(input, dim, keepdim=False) | (input)`."""
    return tuple(_parameters(text.strip()[1:-1]) for text in signature.split(" | "))


def _parameters(text: str) -> Parameters:
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
    return Parameters(tuple(positional), tuple(keyword_only), frozenset(required), star)


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


def check(function: Function, shown: str, count: int, keywords: tuple[str, ...]) -> None:
    """Raise GradcliError of kind argument where no parameter list takes `count` operands and these keywords."""
    lists = alternatives(function.signature)
    names = frozenset(keywords)
    if any(one.fits(count, names) for one in lists):
        return
    raise GradcliError(
        "argument", _reason(shown, lists, count, keywords), hint=f"its signature: {shown}{function.signature}"
    )


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
