"""A finding: a note, and the parameters that it is about."""

from __future__ import annotations

from dataclasses import dataclass

from gradcli.results import Note
from gradcli.training.watching.records import Record


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found."""

    note: Note
    records: tuple[Record, ...] = ()
