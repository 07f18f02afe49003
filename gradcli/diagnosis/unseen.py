"""Writes that autograd does not see: to results where nothing is recorded, and over what was saved for backward."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gradcli.diagnosis.evidence import Evidence, Finding
from gradcli.diagnosis.remarks import REMARKS
from gradcli.diagnosis.wording import number, place
from gradcli.results import Note


def unrecorded(evidence: Evidence) -> Iterator[Finding]:
    """G109: a write to a result is outside the graph, and the gradient does not follow it."""
    found = evidence.proofs.unrecorded
    if found:
        one, names = found[0], tuple(each.name for each in found)
        facts = {
            **evidence.words(names),
            "source": evidence.source(one.step),
            "element": place(_of(evidence, one.name), one.index, evidence.outcome.inputs[one.name].value.shape),
            "got": number(one.got), "true": number(round(one.slope, 6)),
        }  # fmt: skip
        yield Finding("G109", "unrecorded", facts, one.step.span, one.name if len(names) == 1 else None)


def overlooked(evidence: Evidence) -> Iterator[Note]:
    """A gradient that was computed from numbers written after they were used, which torch did not notice."""
    found = evidence.proofs.overlooked
    if found is None:
        return
    for name, true in found.gradients.items():
        got = evidence.proofs.gradients.get(name)
        if got is None or got.is_complex() or got.shape != true.shape:
            continue
        other = ~torch.isclose(got, true.to(got.dtype), rtol=1e-4, atol=0, equal_nan=True)
        if bool(other.any()):
            at = int(other.reshape(-1).to(torch.uint8).argmax())
            said = {
                "writer": evidence.source(found.writer), "owner": evidence.source(found.owner),
                "element": place(_of(evidence, name), at, got.shape),
                "got": number(float(got.reshape(-1)[at])), "true": number(float(true.reshape(-1)[at])),
            }  # fmt: skip
            yield Note(None, "warning", REMARKS["overlooked"].format_map(said), found.writer.span, name)


def _of(evidence: Evidence, name: str) -> str:
    return f"{name}.grad" if evidence.outcome.went_back else f"the derivative by {name}"
