"""Gradients that add up over the steps of an optimizer (G704)."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.training.detectors.finding import Evidence, Finding, finding, named


def rule(evidence: Evidence) -> Iterator[Finding]:
    """Still there at the next backward, in half of the steps or more."""
    enough, share = evidence.thresholds["accumulated"], evidence.thresholds["unclean"]
    for group in evidence.optimizers or [evidence.events.book.free]:
        seen = group.unclean
        count = sum(seen)
        full = group.evaluations - group.emptied
        if group.evaluations >= enough and full >= max(2, share * group.evaluations):
            yield finding("G704", "closure", group.records, group.label, optimizer=group.label, count=full,
                          of=group.evaluations)  # fmt: skip
            continue
        # The first step has nothing to clear: n steps show n - 1 times whether gradients were.
        if len(seen) + 1 >= enough and count >= max(2, share * len(seen)):
            subject = group.label or named(group.records)
            yield finding("G704", "adds_up", group.records, subject, optimizer=subject, count=count, of=len(seen))
