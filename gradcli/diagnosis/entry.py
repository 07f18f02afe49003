"""One diagnosis as data: what it is called, how serious it is, and its sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Level = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One code: what it is called, how serious it is, and its sentences by situation.

    `parts`: what can stand at a place of its sentences, by the name of the place and the situation.
    """

    code: str
    name: str
    level: Level
    says: dict[str, str]
    parts: dict[str, dict[str, str]] = field(default_factory=dict)
