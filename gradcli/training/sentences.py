"""Sentences of the catalogue as notes, and the words of counts in them."""

from __future__ import annotations

from collections.abc import Sized

from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.results import Note


def note(code: str, says: str, /, *, subject: str | None = None, **facts: object) -> Note:
    """A sentence of the catalogue, filled with facts."""
    entry = CATALOGUE[code]
    return Note(code, entry.level, entry.says[says].format_map(facts).strip(), None, subject)


def part(code: str, place: str, situation: str, /, **facts: object) -> str:
    """What stands at a place of a sentence of the catalogue."""
    return CATALOGUE[code].parts[place][situation].format_map(facts)


def often(count: int) -> str:
    """How often something was done: once, twice, 3 times."""
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def times(count: int, what: str) -> str:
    """A count and its word: 1 step, 2 steps."""
    return f"{count:,} {what}{'s' * (count != 1)}"


_ONE_OR_SEVERAL = (
    ("them", "it", "them"), ("these", "this", "these"), ("they", "it", "they"), ("has", "has", "have"),
    ("was", "was", "were"), ("gets", "gets", "get"), ("stays", "stays", "stay"), ("hold", "holds", "hold"),
    ("requires", "requires", "require"), ("are_none", "is None", "are None"),
)  # fmt: skip


def agreeing(subjects: Sized) -> dict[str, str]:
    """The words of a sentence that agree with its one or several subjects."""
    return {name: several if len(subjects) > 1 else one for name, one, several in _ONE_OR_SEVERAL}
