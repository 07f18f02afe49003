"""Parameters with requires_grad=False that an optimizer still changes (G713)."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.training.detectors.finding import Evidence, Finding, finding, named


def rule(evidence: Evidence) -> Iterator[Finding]:
    """Changed inside a step while frozen."""
    for group in evidence.optimizers:
        found = [one for one in group.records if one.moved_frozen]
        if found:
            many = len(found) > 1
            words = {"has": "have", "them": "them", "they": "they", "has_old": "have"} if many else {
                "has": "has", "them": "it", "they": "it", "has_old": "has"}  # fmt: skip
            yield finding("G713", "moves", found, names=named(found), optimizer=group.label, **words)
