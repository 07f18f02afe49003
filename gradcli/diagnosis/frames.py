"""Tracebacks in a log: the user's own line, the last one that is not inside torch."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

FAR = 40_000  # characters from the first line of a traceback to its message: those of recursions are long


class Line(NamedTuple):
    """A line of a program: where it is, in which function, and what stands there, as far as the log tells."""

    file: str
    number: int
    function: str | None = None
    source: str | None = None


class Notation(NamedTuple):
    """How frames are written, and where the source of a frame stands."""

    frame: re.Pattern[str]
    source: Literal["below", "at the arrow", "above"]


_FILE = r"(?P<file>(?:[A-Za-z]:)?[^\s:│][^\n:│]*)"
NOTATIONS = tuple(
    Notation(re.compile(frame, re.MULTILINE), source)  # type: ignore[arg-type]
    for frame, source in (
        # Python:   File "train.py", line 3, in step
        (r'^(?P<prefix>.*?)File "(?P<file>[^"\n]+)", line (?P<number>\d{1,9})(?:, in (?P<function>[^\n]+))?', "below"),
        # IPython:  File ~/train.py:3, in step(x)     Cell In[2], line 3
        (rf"^File {_FILE}:(?P<number>\d{{1,9}})(?:, in (?P<function>[^\n(]+))?", "at the arrow"),
        (r"^(?P<file>Cell In ?\[\d+\]), line (?P<number>\d{1,9})(?:, in (?P<function>[^\n(]+))?", "at the arrow"),
        # Rich:     │ train.py:3 in step │
        (r"^│ (?P<file>[^\s│][^\n│]*?):(?P<number>\d{1,9}) in (?P<function>[^\s│]+)", "at the arrow"),
        # pytest:   train.py:3: RuntimeError
        (rf"^{_FILE}:(?P<number>\d{{1,9}}):(?: [\w.]*)?$", "above"),
    )
)
_PYTEST = NOTATIONS[-1]
_ARROW = re.compile(r"^\W*(?:-+>|❱)\s*(?P<number>\d+)\s+(?P<source>[^\n│]+)", re.MULTILINE)
_POINTED = re.compile(r"^>\s+(?P<source>[^\n]+)", re.MULTILINE)
_BEGINS = "Traceback (most recent call last)"
_TEST = re.compile(r"_{3,} [^\n]+ _{3,}$", re.MULTILINE)
_WARNING = re.compile(rf"^\s*{_FILE}:(?P<number>\d{{1,9}}): \w*Warning: ")
_BELOW = re.compile(r"[^\n]*\n(?P<source>[ \t]+[^\n]+)")
_TORCH = re.compile(r"(?:site|dist)-packages[\\/](?:torch|functorch)[\\/]|^<frozen ")
# Lines of a traceback below its last frame and above its error: source, marks below it, frames that repeat.
_WITHIN = re.compile(r"\s|[\^~]|$|\[Previous line repeated|[│╰]|(?:-+>|❱)?\s*\d+\b")


def own_line(text: str, start: int, end: int) -> tuple[Line | None, bool]:
    """The user's own line of the message that stands from `start` to `end`, and whether a traceback led to it.

    None where there is no traceback, or torch alone is in it.
    """
    warned = _WARNING.match(text[text.rfind("\n", 0, start) + 1 : start])
    if warned is not None:
        below = _BELOW.match(text, end)
        line = Line(warned["file"], int(warned["number"]), None, below["source"].strip() if below else None)
        return _last_own([line]), False
    block = _traceback(text, start, end)
    return (None, False) if block is None else (_last_own(frames(block)), True)


def line_after(text: str, end: int) -> Line | None:
    """The user's own line in the traceback that follows a message."""
    return _last_own(frames(re.split(r"\n\s*\n|\n\S*Traceback", text[end : end + FAR], maxsplit=1)[0]))


def frames(block: str) -> list[Line]:
    """Every frame of a traceback, in the order in which it is written."""
    found = [(place, source) for frame, source in NOTATIONS for place in frame.finditer(block)]
    found.sort(key=lambda one: one[0].start())
    return [
        Line(place["file"], int(place["number"]), _function(place), _source(block, place, source))
        for place, source in found
    ]


def _last_own(found: list[Line]) -> Line | None:
    return next((one for one in reversed(found) if not _TORCH.search(one.file)), None)


def _traceback(text: str, start: int, end: int) -> str | None:
    """The traceback that ends in a message; None where it ended in another one before."""
    low = max(0, start - FAR)
    test = text.rfind("\n___", low, start) + 1
    begin = text.rfind(_BEGINS, low, start)
    if test > begin and _TEST.match(text, test):  # pytest names the line below the message
        below = _PYTEST.frame.search(text, end, end + FAR)
        return text[test : below.end() if below else end]
    if begin < 0:
        return None
    prefix = text[text.rfind("\n", 0, begin) + 1 : begin]
    block = text[begin:start]
    last = max([place.end() for frame, _ in NOTATIONS for place in frame.finditer(block)], default=0)
    *within, _ = block[last:].split("\n")
    over = [line for line in within[1:] if not _WITHIN.match(line.removeprefix(prefix))]
    return None if over else block


def _function(place: re.Match[str]) -> str | None:
    return (place.groupdict().get("function") or "").strip() or None


def _source(block: str, place: re.Match[str], where: str) -> str | None:
    if where == "below":
        below = _BELOW.match(block, place.end())
        if below is None:
            below = re.compile(rf"[^\n]*\n{re.escape(place['prefix'])}(?P<source>[^\n]+)").match(block, place.end())
        source = below["source"].removeprefix(place["prefix"]).strip() if below else ""
        return None if not source.strip("^~ ") or source.startswith('File "') else source
    if where == "above":
        above = [one["source"] for one in _POINTED.finditer(block, 0, place.start())]
        return above[-1].strip() if above else None
    shown = (one["source"] for one in _ARROW.finditer(block, place.end()) if one["number"] == place["number"])
    return next(shown, "").strip() or None
