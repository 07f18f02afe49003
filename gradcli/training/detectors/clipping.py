"""Clipping by a norm that was not finite, after which the optimizer stepped (G715)."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.training.detectors.finding import Evidence, Finding, finding
from gradcli.training.sentences import part, times


def rule(evidence: Evidence) -> Iterator[Finding]:
    """Every gradient is multiplied by 0 or NaN then."""
    for group in evidence.optimizers:
        if group.clip_wiped:
            step, became = group.clip_wiped[0]
            others = len(group.clip_wiped) - 1
            more = part("G715", "more", "others", times=times(others, "other step")) if others else ""
            yield finding("G715", "wiped", group.records, group.label, step=step, more=more, became=became,
                          optimizer=group.label)  # fmt: skip
