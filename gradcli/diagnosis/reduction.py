"""How an output of several elements was made one number for backward."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.diagnosis.evidence import Evidence, Finding


def not_scalar(evidence: Evidence) -> Iterator[Finding]:
    """G201: the output has several elements, and was summed or averaged."""
    request, outcome = evidence.outcome.request, evidence.outcome
    if not outcome.went_back or request.upstream is not None or request.program.upstream is not None:
        return
    span = evidence.program.outputs[0].span
    if len(outcome.results) > 1:
        yield Finding("G201", "several", {"count": len(outcome.results)}, span)
    elif outcome.results[0].numel() != 1 and request.reduce != "none":
        yield Finding("G201", request.reduce, {"count": f"{outcome.results[0].numel():,}"}, span)
