"""One message of torch: its words with gaps for what varies, what it means, why torch says it, and what to change."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

_GAP = re.compile(r"\{(\w*)\}")
_LONGEST = 200  # characters that a gap may stand for


@dataclass(frozen=True, slots=True)
class Message:
    """A message that torch raises or warns of.

    `says` holds torch's own words, one text for each wording; `{}` stands for what varies, and `{name}` for what the
    sentences `what`, `why` and `next` repeat: each wording has all of these names, and begins with words. A letter that
    may be a capital is left out. `code` is the diagnosis that the
    message stands for, where it stands for one alone, and `see` lists those that may be behind it. `hint` is the advice
    where gradcli itself meets the message in an expression. `frames` tells where the traceback of a message stands.
    """

    name: str
    says: tuple[str, ...]
    what: str
    why: str
    next: str
    code: str | None = None
    see: tuple[str, ...] = ()
    level: Literal["error", "warning"] = "error"
    hint: str | None = None
    frames: Literal["before", "after"] = "before"


def parts(says: str) -> list[str]:
    """What never varies in a message, before and after each gap.

    >>> parts("element {} of tensors")
    ['element ', ' of tensors']
    """
    return _GAP.split(says)[::2]


def names(says: str) -> list[str]:
    """The names of its gaps; a gap that no sentence repeats has none."""
    return _GAP.split(says)[1::2]


@cache
def constant(says: str) -> str:
    """The longest part of a message that never varies: where it is missing, so is the message."""
    return max(parts(says), key=len).strip()


@cache
def pattern(says: str) -> re.Pattern[str]:
    """The words of a message as they may stand in a log: broken into lines anywhere between two of them.

    >>> pattern("element {} of tensors").search("element 0 of\\n  tensors").group()
    'element 0 of\\n  tensors'
    """
    words = [r"\s+".join(map(re.escape, re.split(r"\s+", part))) for part in parts(says)]
    gaps = [f"(?P<{name}>.{{1,{_LONGEST}}}?)" if name else f".{{0,{_LONGEST}}}?" for name in names(says)]
    if not words[-1]:
        gaps[-1] = f"(?P<{names(says)[-1]}>[^\\n]{{1,{_LONGEST}}})"  # to the end of the line
    return re.compile("".join(f"{word}{gap}" for word, gap in zip(words, [*gaps, ""], strict=True)), re.DOTALL)
