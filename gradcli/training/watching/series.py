"""A value over many steps, of which few are kept."""

from __future__ import annotations

from dataclasses import dataclass, field

KEPT = 64  # values that are kept; then every other one is dropped


@dataclass(slots=True, eq=False)
class Series:
    """Steps and the values there, evenly spaced among those that were noted."""

    kept: list[tuple[int, float]] = field(default_factory=list)
    spacing: int = 1

    def note(self, count: int, step: int, value: float) -> None:
        """Keep a value, the so-manieth, if its turn comes."""
        if count % self.spacing == 0:
            self.kept.append((step, value))
        if len(self.kept) > KEPT:
            del self.kept[1::2]
            self.spacing *= 2
