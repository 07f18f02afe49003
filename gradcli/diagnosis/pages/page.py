"""One diagnosis explained: what it is, why torch does so, an example, its repair, and torch's own term for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Page:
    """What is told of one code.

    `example` is a command line whose answer carries the code; `repair` is one like it whose answer does not, and
    `next` says what to change. A repair is missing where nothing is wrong. `term` is what torch's documentation calls
    it, and the page or the function where it does.
    """

    code: str
    what: str
    why: str
    example: str
    next: str
    repair: str | None
    term: str
    files: Mapping[str, str] = field(default_factory=dict, hash=False)
