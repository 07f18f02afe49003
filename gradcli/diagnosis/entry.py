"""One diagnosis as data: what it is called, how serious it is, and its sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One code: what it is called, how serious it is, and its sentences by situation."""

    code: str
    name: str
    level: Level
    says: dict[str, str]
