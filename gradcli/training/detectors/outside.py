"""Parameters that no optimizer holds, though backward reaches them (G702), or that forward() makes anew each time."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.training.detectors.finding import Evidence, Finding, finding, named
from gradcli.training.sentences import agreeing


def rule(evidence: Evidence) -> Iterator[Finding]:
    """Reached and held by none, while some optimizer stepped."""
    events = evidence.events
    fresh = {key: count for key, count in events.names.remade.counts.items() if count >= 2}
    if fresh:
        (file, line, _), count = max(fresh.items(), key=lambda one: one[1])
        yield finding("G702", "fresh", line=f"{file}:{line}", count=count)
    if not evidence.optimizers:
        return
    found = [
        one for one in events.book.all
        if one.parameter and one.optimizer is None and one.requires_grad and one.reached >= 1 and not one.passing
    ]  # fmt: skip
    replaced = any(one.stale for group in evidence.optimizers for one in group.records)  # G703 tells both sides of it
    if found and not fresh and not replaced:
        yield finding("G702", "reached", found, names=named(found), **agreeing(found))
