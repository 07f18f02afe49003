"""How an output of several elements was made one number for backward."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from gradcli.diagnosis.evidence import Evidence, Finding
from gradcli.errors import Span


def not_scalar(evidence: Evidence) -> Iterator[Finding]:
    """G201: the output has several elements, and was summed or averaged."""
    request, outcome = evidence.outcome.request, evidence.outcome
    if not outcome.went_back or request.upstream is not None or request.program.upstream is not None:
        return
    span = evidence.program.outputs[0].span
    if len(outcome.results) > 1:
        yield _reduced("several", len(outcome.results), span)
    elif outcome.results[0].numel() != 1 and request.reduce != "none":
        yield _reduced(request.reduce, outcome.results[0].numel(), span)


@lru_cache(maxsize=256)
def _reduced(how: str, count: int, span: Span) -> Finding:
    """The same of every answer of this size, so that a question asked again need not have it worded again."""
    return Finding("G201", how, {"count": f"{count:,}"}, span)
