"""A cause of death as a note: a sentence of the catalogue, filled with facts."""

from __future__ import annotations

from dataclasses import dataclass

from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.results import Note


@dataclass(frozen=True, slots=True)
class Said:
    """A note, and whether it explains the death, so that torch's message need not be explained besides."""

    note: Note
    explains: bool = True


def say(code: str, says: str, *, subject: str | None = None, **facts: object) -> Said:
    """A sentence of the catalogue."""
    entry = CATALOGUE[code]
    return Said(Note(code, entry.level, entry.says[says].format_map(facts), None, subject))
