"""A line such as `:grad A**2 --order 2` to its name, its subject as it was typed, and what each option was given.

No shell stands between: blanks inside brackets and quotes do not part words, and an expression needs no quotes. It may
have them, as on a command line; several subjects do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gradcli.commands.command import Option
from gradcli.doors.arguments import arranged

_QUOTES = "\"'"
_NAME = re.compile(r":\s*(\?|[\w-]*)\s*(.*)", re.DOTALL)


class Word(str):
    """A word and where it stood."""

    start: int
    end: int


def named(line: str) -> tuple[str, str]:
    """The name after the colon, and what follows it."""
    found = _NAME.fullmatch(line.strip())
    assert found is not None, "a colon begins it"
    return (found[1], found[2]) if found[1] else ("", found[2])


def words(text: str) -> Iterator[Word]:
    """The words of a text; blanks inside brackets and quotes are part of a word."""
    start, depth, quote = None, 0, ""
    for index, letter in enumerate(f"{text} "):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in _QUOTES and index < len(text):
            quote = letter if text.find(letter, index + 1) >= 0 else ""
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth = max(depth - 1, 0)
        blank = letter.isspace() and not depth and not quote
        if start is None and not blank:
            start = index
        if start is not None and (blank or index == len(text)):
            word = Word(text[start:index])
            word.start, word.end = start, index
            yield word
            start = None


def divided(text: str, options: Sequence[Option]) -> tuple[tuple[str, ...], dict[int, Any]]:
    """The subjects, and for options that are given, by their number, what was written.

    Raises GradcliError of kind usage as the command line does.
    """
    flags = {flag: index for index, option in enumerate(options) for flag in option.flags}
    arrangement = arranged(list(words(text)), {flag: options[index].kind is not bool for flag, index in flags.items()})
    cut = arrangement.index("--") if "--" in arrangement else len(arrangement)
    return _subjects(text, arrangement[cut + 1 :]), _given(arrangement[:cut], flags, options)


def _given(written: Sequence[str], flags: Mapping[str, int], options: Sequence[Option]) -> dict[int, Any]:
    given: dict[int, Any] = {}
    for word in written:
        flag, _, value = word.partition("=")
        index = flags[flag]
        if options[index].many:
            given.setdefault(index, []).append(_bare(value))
        else:
            given[index] = True if options[index].kind is bool else _bare(value)
    return given


def _subjects(text: str, operands: Sequence[str]) -> tuple[str, ...]:
    if operands and all(_bare(one) != one for one in operands):
        return tuple(map(_bare, operands))
    placed = [one for one in operands if isinstance(one, Word)]
    if not placed:
        return ()
    together = text[placed[0].start : placed[-1].end]
    return (together if list(words(together)) == placed else " ".join(placed),)


def _bare(word: str) -> str:
    """A word without the quotes around it."""
    quoted = len(word) > 1 and word[0] in _QUOTES and word[-1] == word[0] and word[0] not in word[1:-1]
    return word[1:-1] if quoted else word
