"""What is found on a curve or a surface: extrema, kinks, jumps, stretches where numbers fail; each with where.

`KINDS` tells each kind. Points: `minimum`, `maximum`, `saddle`, `inflection` and `stationary` (what cannot be told
apart) have a gradient of 0; `kink`, `jump`, `pole` and `gap` have none. Stretches, of the value or of a gradient:
`nan`, `infinite`, `zero`, `vanishing`, `lost`, `refused`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# kind -> what it is, for the reference.
KINDS: dict[str, str] = {
    "minimum": "the gradient is 0 and the value is less than around it",
    "maximum": "the gradient is 0 and the value is greater than around it",
    "saddle": "the gradient is 0; the value is greater in some directions and less in others",
    "inflection": "the gradient is 0, and the value goes on in the same direction",
    "stationary": "the gradient is 0, and no numbers around it tell what it is",
    "kink": "the slopes on the two sides differ",
    "jump": "the values on the two sides differ",
    "pole": "the value grows without bound",
    "gap": "the value is NaN at one point, and its limits on both sides are finite",
    "nan": "NaN",
    "infinite": "infinite",
    "zero": "exactly 0",
    "vanishing": "so small that steps along it are lost",
    "lost": "0 or not finite in this dtype, and not with more digits",
    "refused": "torch could not compute it",
}
STATIONARY = frozenset({"minimum", "maximum", "saddle", "inflection", "stationary"})
STRETCHES = frozenset({"nan", "infinite", "zero", "vanishing", "lost", "refused"})

Place = float | tuple[float, float]
"""A coordinate, or a stretch of it from its least to its greatest."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found.

    `where` has a place for each swept input: a number, or a stretch where it extends along that input. `of` is `value`
    or `gradient`, and `input` the one that the gradient or slope is by. `value`: that of the program there. `sides`:
    for a kink the slopes, for a jump, pole or gap the values, just below and just above. `extremum`: a kink, jump or
    pole that is a `minimum` or a `maximum` besides. `points`: how many swept points a stretch covers. `says`: torch's
    refusal, or what is lost.
    """

    kind: str
    where: Mapping[str, Place]
    of: str = "value"
    input: str | None = None
    value: float | None = None
    sides: tuple[float, float] | None = None
    extremum: str | None = None
    points: int | None = None
    says: str | None = None

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        where = {name: list(place) if isinstance(place, tuple) else place for name, place in self.where.items()}
        return {
            "kind": self.kind, "of": self.of, "input": self.input, "where": where, "value": self.value,
            "sides": None if self.sides is None else list(self.sides), "extremum": self.extremum,
            "points": self.points, "message": self.sentence(),
        }  # fmt: skip

    def sentence(self) -> str:
        """Where it is, and what is to be known of it."""
        told = " ".join(filter(None, (self._of(), self._where())))
        return "; ".join(filter(None, (told, *self._facts())))

    def _of(self) -> str:
        if self.kind not in STRETCHES or self.kind == "refused":
            return "at"
        return f"{self.input}.grad" if self.of == "gradient" and self.input else self.of

    def _where(self) -> str:
        stretched = self.kind in STRETCHES and self.kind != "refused"
        parts = []
        for name, place in self.where.items():
            if isinstance(place, tuple):
                parts.append(f"{name} from {_number(place[0])} to {_number(place[1])}")
            else:
                parts.append(f"{name} = {_number(place)}")
        return ("at " if stretched and not self._extends() else "for " if stretched else "") + ", ".join(parts)

    def _extends(self) -> bool:
        return any(isinstance(place, tuple) for place in self.where.values())

    def _facts(self) -> list[str]:
        facts = []
        if self.sides is not None:
            what = f"d/d{self.input}" if self.kind == "kink" or self.of == "gradient" else "value"
            facts.append(f"{what} {_number(self.sides[0])} below, {_number(self.sides[1])} above")
        if self.value is not None:
            facts.append(f"value {_number(self.value)}")
        if self.extremum is not None:
            facts.append(f"a {self.extremum}")
        if self.says is not None:
            facts.append(self.says)
        if self.points is not None:
            facts.append(f"{self.points:,} point{'' if self.points == 1 else 's'}")
        return facts


def _number(value: float) -> str:
    return repr(value)
