"""What the derivative by a complex input is in torch."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.diagnosis.evidence import Evidence, Finding, listed


def complex_inputs(evidence: Evidence) -> Iterator[Finding]:
    """G607: an input that a derivative was taken by is complex."""
    outcome = evidence.outcome
    if not outcome.went_back and outcome.request.asks == "grad":
        return
    names = [
        name
        for name, view in outcome.inputs.items()
        if view.requires_grad and view.value.is_complex() and name not in evidence.missing
    ]
    if names:
        yield Finding("G607", outcome.request.asks, listed(names), None, names[0] if len(names) == 1 else None)
