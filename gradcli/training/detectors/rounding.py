"""Updates that are smaller than the distance to the next number of the parameter's dtype (G712)."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from gradcli.training.detectors.finding import Evidence, Finding, finding, named


def rule(evidence: Evidence) -> Iterator[Finding]:
    """Half of the elements unchanged, in half of the steps that were looked at."""
    share, samples = evidence.thresholds["lost"], evidence.thresholds["samples"]
    found = [
        one for one in evidence.events.book.all
        if len(one.lost) >= samples and sum(lost >= share for lost in one.lost) >= len(one.lost) / 2
    ]  # fmt: skip
    if found:
        worst = max(found, key=lambda one: median(one.lost))
        yield finding(
            "G712", "lost", found, names=named(found), dtype=str(worst.dtype).removeprefix("torch."),
            steps=sum(lost >= share for lost in worst.lost), of=len(worst.lost), share=f"{median(worst.lost):.0%}",
        )  # fmt: skip
