"""Units whose gradient was exactly zero whenever it was looked at, and whole parameters of which that holds (G707)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from gradcli.training.detectors.finding import Evidence, Finding, finding, label, named
from gradcli.training.sentences import agreeing, part
from gradcli.training.watching.graph import LINEAR
from gradcli.training.watching.records import Record


def rule(evidence: Evidence) -> Iterator[Finding]:
    """More of a layer's units than its first weights explain, in every one of several looks."""
    limits = evidence.thresholds
    found: list[tuple[Record, int, int]] = []
    for one in evidence.events.book.all:
        if (
            one.living is None
            or one.looks < limits["looks"]
            or one.looks * one.rows < limits["batch"]
            or not _dies(one)
        ):
            continue
        units = one.living.numel()
        dead = units - int(one.living.sum())
        if dead == units or _pushed(one, limits) or dead > _drawn(units, limits["draw"]):
            found.append((one, dead, units))
    found = _first_cause(found)
    if not found:
        yield from _flat(evidence)
        return
    worst, dead, units = max(found, key=lambda one: (one[1] / one[2], one[0].order or 0))
    flat = part("G707", "flat", "gate", gate=worst.gate) if worst.gate else ""
    records = [worst, *(one for one, _, _ in found if one is not worst)]
    if len(found) == 1:
        yield finding("G707", "one", records, count=dead, of=units, name=label(worst), looks=worst.looks, flat=flat)
    else:
        yield finding(
            "G707", "several", records, count=sum(one for _, one, _ in found), of=sum(one for _, _, one in found),
            layers=len(found), name=label(worst), worst=dead, worst_of=units, looks=worst.looks, flat=flat,
        )  # fmt: skip


def _pushed(record: Record, limits: Mapping[str, float]) -> bool:
    """Whether dead units are many that no draw of weights makes dead: by their bias, or in spite of normalization."""
    assert record.living is not None
    dead = ~record.living
    if not record.normed:
        if record.pushed is None or record.pushed.shape != dead.shape:
            return False
        dead = dead & record.pushed
    count, units = int(dead.sum()), dead.numel()
    return count >= max(1, limits["dead"] * units) and (count >= limits["few"] or count >= units / 2)


def _drawn(units: int, deviations: float) -> float:
    """How many dead units an ordinary draw of weights leaves at most: where all inputs of a layer are much alike, the
    sign of what a unit gives is the toss of a coin.
    """
    return units / 2 + deviations * math.sqrt(units) / 2


def _first_cause(found: list[tuple[Record, int, int]]) -> list[tuple[Record, int, int]]:
    """Without layers that get nothing because a later one is dead as a whole."""
    last = max((one.order or 0 for one, dead, units in found if dead == units), default=0)
    return [row for row in found if row[1] < row[2] or (row[0].order or last) >= last]


def _dies(record: Record) -> bool:
    """Whether units of a weight can die: they go through an activation with a flat part.

    Elsewhere a row of zeros says something else: a row of a table that was not looked up, an output that the loss
    does not choose.
    """
    return record.use in LINEAR and record.gate is not None


def _flat(evidence: Evidence) -> Iterator[Finding]:
    """Weights whose whole gradient was 0 whenever it was measured, though no dead unit is the cause of it.

    Not biases: that of a last layer cancels wherever a loss compares two outputs.
    """
    for group in evidence.optimizers:
        found = [
            one for one in group.records
            if one.zero == one.measured >= evidence.thresholds["looks"] and len(one.shape) >= 2 and one.size
        ]  # fmt: skip
        if found:
            flat = next(iter(evidence.events.passing.flat), None)
            cause = part("G707", "cause", "flat", operation=flat) if flat else part("G707", "cause", "factor")
            steps = f"{found[0].measured:,}"
            yield finding("G707", "zero", found, names=named(found), steps=steps, cause=cause, **agreeing(found))
            return
