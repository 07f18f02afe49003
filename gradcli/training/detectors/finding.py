"""A finding: a note, and the parameters that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gradcli.results import Note
from gradcli.training.sentences import note
from gradcli.training.watching.events import Events
from gradcli.training.watching.groups import Group
from gradcli.training.watching.records import Record

NAMED = 3  # parameters that a sentence names


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found."""

    note: Note
    records: tuple[Record, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the rules read: what was seen, and the thresholds."""

    events: Events
    thresholds: Mapping[str, float]

    @property
    def optimizers(self) -> list[Group]:
        """The groups of optimizers that stepped."""
        return [group for group in self.events.book.groups.values() if group.steps]


def finding(
    code: str, says: str, /, records: Iterable[Record] = (), subject: str | None = None, **facts: object
) -> Finding:
    """A sentence of the catalogue, filled with facts."""
    about = tuple(records)
    return Finding(note(code, says, subject=subject or (label(about[0]) if about else None), **facts), about)


def label(record: Record) -> str:
    """What a parameter is called."""
    return record.name or f"tensor {record.place + 1}"


def named(records: Iterable[Record]) -> str:
    """The names of parameters: a few, and how many more."""
    names = [label(one) for one in records]
    if len(names) <= NAMED + 1:
        return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more parameters"


def number(value: float) -> str:
    """A number in a sentence."""
    return f"{value:.3g}"
