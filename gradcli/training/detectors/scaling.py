"""Steps that a gradient scaler skipped (G709), and clipping of gradients that were still scaled (G711)."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.training.detectors.finding import Evidence, Finding, finding
from gradcli.training.sentences import part


def rule(evidence: Evidence) -> Iterator[Finding]:
    """What the scalers did."""
    scalers = evidence.events.scalers
    skipped = scalers.skipped
    if skipped and skipped == scalers.updates and skipped > 3:
        scale = (scalers.skips[-1][1] if scalers.skips else scalers.last) or 0
        yield finding("G709", "all", of=f"{scalers.updates:,}", scale=f"{scale:g}")
    elif skipped:
        first = part("G709", "first", "known", scale=f"{scalers.skips[0][1]:g}") if scalers.skips else ""
        of = f"{scalers.updates:,}"
        yield finding("G709", "skipped", count=f"{skipped:,}", of=of, scale=f"{scalers.last or 0:g}", first=first)
    for group in evidence.events.book.groups.values():
        if group.clip_scaled:
            yield finding("G711", "clipped", group.records, group.label, optimizer=group.label,
                          scale=f"{group.clip_scale or scalers.first or 0:g}", count=group.clip_scaled)  # fmt: skip
