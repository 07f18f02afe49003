"""Units whose gradient was exactly zero whenever it was looked at (G707)."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.training.detectors.finding import Evidence, Finding, finding, label
from gradcli.training.sentences import part
from gradcli.training.watching.graph import LINEAR
from gradcli.training.watching.records import Record


def rule(evidence: Evidence) -> Iterator[Finding]:
    """A tenth of a layer's units or more, in every one of several looks."""
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
        if dead >= max(1, limits["dead"] * units) and (dead >= limits["few"] or dead >= units / 2):
            found.append((one, dead, units))
    found = _first_cause(found)
    if not found:
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
