"""Variables that hold every step's graph (G710)."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.training.detectors.finding import Evidence, Finding, finding


def rule(evidence: Evidence) -> Iterator[Finding]:
    """A tensor or a container whose graph reaches back over steps."""
    for one in evidence.events.holding.held.values():
        if one.steps >= evidence.thresholds["held"]:
            says = "container" if one.container else "tensor"
            yield finding("G710", says, subject=one.name, name=one.name, steps=one.steps)
