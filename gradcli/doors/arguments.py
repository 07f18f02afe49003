"""Words of a command line to options and operands: an expression or a value may begin with a minus sign.

Known flags are flags wherever they stand; the word after an option that takes a value is its value; every other
word that begins with `-` and does not look like an option is an operand: `-A**2`, `-5.0`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence

from gradcli.errors import GradcliError

_OPTION_LIKE = re.compile(r"--[A-Za-z][A-Za-z-]*(=.*)?", re.DOTALL)


def arranged(words: Sequence[str], takes_value: Mapping[str, bool], program: bool = False) -> list[str]:
    """The same words in an order that no parser misreads: options first, each with its value, then `--`, operands.

    `takes_value` holds each known flag. Where the first operand is a `program`, what stands behind it is its own.
    Raises GradcliError of kind usage for an option without its value, and for a word that looks like an option and is
    none.
    """
    options: list[str] = []
    operands: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        flag, equals, _ = word.partition("=")
        if word == "--":
            operands += rest
            break
        if flag in takes_value and (not equals or flag.startswith("--")):
            if equals or not takes_value[flag]:
                options.append(word)
            else:
                options.append(f"{word}={_value(word, rest, takes_value)}")
        elif _bundled(word, takes_value):
            options += [f"-{letter}" for letter in word[1:]]
        elif _OPTION_LIKE.fullmatch(word):
            raise _unknown(flag, takes_value)
        else:
            operands.append(word)
            if program:
                operands += rest
                break
    return [*options, "--", *operands] if operands else options


def _value(word: str, rest: list[str], takes_value: Mapping[str, bool]) -> str:
    if not rest or rest[0].partition("=")[0] in takes_value or _OPTION_LIKE.fullmatch(rest[0]):
        after = f", and '{rest[0]}' is an option" if rest else ""
        raise GradcliError("usage", f"{word} needs a value{after}", hint=f"write {word} VALUE, or {word}=VALUE")
    return rest.pop(0)


def _bundled(word: str, takes_value: Mapping[str, bool]) -> bool:
    """-qv for -q -v."""
    return (
        len(word) > 2 and word[0] == "-" and word[1] != "-" and all(takes_value.get(f"-{c}") is False for c in word[1:])
    )


def _unknown(flag: str, known: Iterable[str]) -> GradcliError:
    near = difflib.get_close_matches(flag, list(known), 1)
    hint = (
        f"did you mean {near[0]}?" if near else f"--help lists the options; to give it as an expression write -- {flag}"
    )
    return GradcliError("usage", f"unknown option {flag}", hint=hint)
