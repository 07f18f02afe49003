"""Parameters that no optimizer holds, though backward reaches them (G702), or that forward() makes anew each time."""

from __future__ import annotations

import os
from collections.abc import Iterator

from gradcli.training.detectors.finding import Evidence, Finding, finding, named
from gradcli.training.sentences import agreeing
from gradcli.training.watching.records import Record

FEW = 16  # numbers: temperatures, weights of losses


def rule(evidence: Evidence) -> Iterator[Finding]:
    """Reached and held by none, while some optimizer stepped."""
    events = evidence.events
    fresh = {key: count for key, count in events.names.remade.counts.items() if count >= 2}
    if fresh:
        (file, line, *_), count = max(fresh.items(), key=lambda one: one[1])
        yield finding("G702", "fresh", line=f"{os.path.basename(file)}:{line}", count=count)
    if not evidence.optimizers:
        return
    found = [
        one for one in events.book.all
        if _trains(evidence, one) and one.optimizer is None and one.requires_grad and one.reached and not one.passing
    ]  # fmt: skip
    replaced = any(one.stale for group in evidence.optimizers for one in group.records)  # G703 tells both sides of it
    if found and not fresh and not replaced:
        yield finding("G702", "reached", found, names=named(found), **agreeing(found))


def _trains(evidence: Evidence, one: Record) -> bool:
    """Whether a leaf is meant to learn: a parameter, a tensor that a model has as an attribute, or a few numbers whose
    gradients nobody reads, as they add up from step to step.

    Data that require grad are more, or are asked for theirs; what the script moves by hand needs no optimizer.
    """
    if one.parameter:
        return True
    if one.moved:
        return False
    if one.attribute and one.reached > 1:
        return True
    asked = evidence.events.hidden["grad"] or evidence.events.births.unpacking
    return bool(one.kept and not one.cleared and one.size <= FEW and len(one.shape) < 2 and not asked)
