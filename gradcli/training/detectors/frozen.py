"""Parameters with requires_grad=False that an optimizer still changes (G713)."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.training.detectors.finding import Evidence, Finding, finding, named
from gradcli.training.sentences import agreeing


def rule(evidence: Evidence) -> Iterator[Finding]:
    """Changed inside a step while frozen."""
    for group in evidence.optimizers:
        found = [one for one in group.records if one.moved_frozen]
        if found:
            yield finding("G713", "moves", found, names=named(found), optimizer=group.label, **agreeing(found))
