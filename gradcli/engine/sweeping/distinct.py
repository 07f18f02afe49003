"""A place where a curve may have something, and one candidate of several for the same place."""

from __future__ import annotations

import math
from typing import NamedTuple

ALIKE = 1e-9  # of the distance between scanned points: one place
BLURRED = 1e-8  # of the whole range: what rounding may take for several places, if scanned points are not so close
ORDER = ("turn", "touch", "edge", "leap")


class Candidate(NamedTuple):
    """A place, what points to it, and the distance between scanned points there."""

    x: float
    kind: str
    spacing: float


def distinct(found: list[Candidate], across: float) -> list[Candidate]:
    """One candidate for each place, in ascending order; the scan is so wide `across`."""
    blur = BLURRED * across
    clusters: list[list[Candidate]] = []
    for one in sorted(found, key=lambda one: one.x):
        last = clusters[-1][-1] if clusters else None
        alike = max(ALIKE * one.spacing, min(blur, 1e-2 * one.spacing), 8 * math.ulp(one.x))
        if last is not None and one.x - last.x <= alike:
            clusters[-1].append(one)
        else:
            clusters.append([one])
    return list(map(_one_of, clusters))


def _one_of(cluster: list[Candidate]) -> Candidate:
    """The first of its kind in ORDER, the roundest of them; amid leaps alone the roundest number between them."""
    first = min(cluster, key=lambda one: ORDER.index(one.kind))
    near = ALIKE * first.spacing
    best = min((one for one in cluster if abs(one.x - first.x) <= near), key=lambda one: len(repr(one.x)))
    best = best._replace(kind=first.kind)
    low, high = cluster[0].x, cluster[-1].x
    if first.kind == "leap" and high - low > near:
        middle = low + (high - low) / 2
        rounder = (round(middle, digits) + 0.0 for digits in range(1, 17))
        return best._replace(x=next((one for one in rounder if low <= one <= high), middle))
    return best
