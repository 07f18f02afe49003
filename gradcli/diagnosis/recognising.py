"""Every message of torch in a text of any length: which one it is, where it stands, and the user's own line.

A text is read a piece at a time, and little of it is kept: what a traceback may take before a message, and what a
message may take itself. Most pieces hold no message: a set of their words tells so at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from gradcli.diagnosis.frames import FAR, Line, line_after, own_line
from gradcli.diagnosis.messages import MESSAGES, Message
from gradcli.diagnosis.messages.message import constant, names, pattern

AHEAD = 8_000  # characters that a message and what belongs to it may take
ENOUGH = 1 << 16  # characters that are worth a look: the lines of an open file are gathered first
MOST = 20  # so many different places are told
FEWEST = 3  # words of a message that were typed, so that it is taken for it
GAP = 8  # words of a typed message that a gap may stand for
_SHOWN = 400  # characters of a message that are repeated

_RAISED = re.compile(r".*\w(?:Error|Exception|Warning): ")
_WORD = re.compile(r"\S*$")
_DOTS = re.compile(r"…|\.\.\.")


@dataclass(frozen=True, slots=True)
class Recognised:
    """A message in a text: its words there, what fills its gaps, the user's line, and how often it stands there."""

    message: Message
    text: str
    facts: dict[str, str]
    line: Line | None = None
    traced: bool = False
    position: int = 0
    count: int = 1
    quoted: bool = False
    """Whether it stands in a line of code that a traceback shows, as a string that the code holds."""

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """Errors before warnings, those with a traceback first, and the last before the others."""
        return self.message.level != "error", not self.traced, -self.position


class _Place(NamedTuple):
    message: Message
    found: re.Match[str]


def recognised(pieces: Iterable[str]) -> tuple[list[Recognised], int]:
    """The different messages of a text, the most telling first, and how many more there were than are told."""
    kept: dict[tuple[str, Line | None, bool], Recognised] = {}
    dropped = 0
    for one in _all(pieces):
        key = (one.message.name, one.line, one.quoted)
        before = kept.pop(key, None)
        kept[key] = replace(one, count=before.count + 1) if before else one
        if len(kept) > MOST:
            worst = max(kept, key=lambda each: kept[each].rank)
            dropped += kept.pop(worst).count
    said = {one.message.name for one in kept.values() if not one.quoted}
    found = [one for one in kept.values() if not (one.quoted and one.message.name in said)]
    return sorted(found, key=lambda one: one.rank), dropped


def _all(pieces: Iterable[str]) -> Iterator[Recognised]:
    """Every message, in the order of the text."""
    text, begun, offset = "", 0, 0  # what is kept; from where on it is new; characters before it
    for piece, final in _with_last(pieces):
        text += piece
        stop = len(text) if final else len(text) - AHEAD
        if stop <= begun:
            continue
        for place in _places(text, begun, stop):
            yield _told(text, place, offset)
        cut = max(0, stop - FAR)
        text, begun, offset = text[cut:], stop - cut, offset + cut


def _with_last(pieces: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Pieces that are long enough, each with whether it is the last."""
    waiting: list[str] = []
    length = 0
    for piece in pieces:
        if length >= ENOUGH:
            yield "".join(waiting), False
            waiting, length = [], 0
        waiting.append(piece)
        length += len(piece)
    yield "".join(waiting), True


def _places(text: str, begun: int, stop: int) -> list[_Place]:
    """The messages that begin in a part of a text; of one that stands inside another, the longer alone."""
    words = text[begun : stop + AHEAD].split()
    known = set(words)
    likely = [(message, says) for message in MESSAGES for says in message.says if known.issuperset(_inner(says))]
    flat = " ".join(words) if likely else ""
    found = [
        _Place(message, place)
        for message, says in likely
        if constant(says) in flat
        for place in pattern(says).finditer(text, begun, stop + AHEAD)
        if place.start() < stop
    ]
    found.sort(key=lambda one: (one.found.start(), -one.found.end()))  # sorting keeps the order of the table
    alone: list[_Place] = []
    for one in found:
        if not alone or one.found.end() > alone[-1].found.end():
            alone.append(one)
    return alone


@cache
def _inner(says: str) -> frozenset[str]:
    """The words inside a message that never vary: each stands by itself in a text that has it."""
    return frozenset(constant(says).split()[1:-1])


def _told(text: str, place: _Place, offset: int) -> Recognised:
    message, found = place
    start, end = found.span()
    line, traced = (line_after(text, end), False) if message.frames == "after" else own_line(text, start, end)
    before = text[text.rfind("\n", 0, start) + 1 : start]
    quoted = before[:1].isspace() and before.endswith(('"', "'"))
    return Recognised(message, _sentence(text, found), _facts(found), line, traced, offset + start, quoted=quoted)


def _sentence(text: str, found: re.Match[str]) -> str:
    """The message as it stands there: from what raised it, or its own first word, to the end of its line."""
    line = text.rfind("\n", 0, found.start()) + 1
    raised = _RAISED.match(text, line, found.start())
    start = raised.end() if raised else found.start() - len(_WORD.search(text[line : found.start()])[0])  # type: ignore[index]
    end = text.find("\n", found.end(), found.end() + _SHOWN)
    words = " ".join(text[start : end if end >= 0 else found.end() + _SHOWN].split())
    return words if len(words) <= _SHOWN else f"{words[: _SHOWN - 1]}…"


def _facts(found: re.Match[str]) -> dict[str, str]:
    return {name: " ".join(told.split()) for name, told in found.groupdict().items()}


# A message that was typed, and not whole.


def resembling(text: str) -> list[Recognised]:
    """The messages that a part of one may be of: its words stand in them as they stand here."""
    runs = [words for piece in _DOTS.split(text) if (words := _words(piece))]
    found = [
        Recognised(message, "", dict.fromkeys(names(message.says[0]), "…"))
        for message in MESSAGES
        if max(_alike(_words(says), runs) for says in message.says) >= FEWEST
    ]
    return found[:MOST]


def _words(text: str) -> list[str]:
    words = (word.strip(".,:;'\"`()[]").casefold() for word in re.sub(r"\{\w*\}", " § ", text).split())
    return [word for word in words if word]


def _alike(words: list[str], runs: list[list[str]]) -> int:
    """How many words of a message the runs have, each whole and in their order; 0 where one is not in it."""
    at, count = 0, 0
    for run in runs:
        ends = ((place, _fits(words, place, run, 0)) for place in range(at, len(words)))
        at, alike = next(((place + 1, alike) for place, alike in ends if alike > 0), (0, 0))
        if not alike:
            return 0
        count += alike
    return count


def _fits(words: list[str], place: int, run: list[str], first: int) -> int:
    """How many words from a place on are those of a run; a gap of the message may stand for several words."""
    if first == len(run):
        return 0
    if place == len(words):
        return -len(run)
    if words[place] != "§":
        return 1 + _fits(words, place + 1, run, first + 1) if words[place] == run[first] else -len(run)
    ends = range(first + 1, min(first + GAP, len(run)) + 1)
    return max(_fits(words, place + 1, run, end) for end in ends)
