"""Shapes and indices that do what is seldom meant: operands that expand each other, an index that occurs twice."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.diagnosis.evidence import Evidence, Finding
from gradcli.diagnosis.wording import elements


def mutual_broadcast(evidence: Evidence) -> Iterator[Finding]:
    """G605: both operands were expanded to a result larger than either."""
    for one in evidence.proofs.stretched:
        names = [evidence.name_of(ref) for ref in one.operands]
        facts = {
            "source": evidence.source(one.call.step), "first": f"{names[0]} {_shape(one.shapes[0])}",
            "second": f"{names[1]} {_shape(one.shapes[1])}", "result": _shape(one.result),
        }  # fmt: skip
        sentence = "both" if one.call.step.function.pointwise else "loss"
        yield Finding("G605", sentence, facts, one.call.step.span)


def repeated_index(evidence: Evidence) -> Iterator[Finding]:
    """G606: an index occurs twice."""
    for one in evidence.proofs.picked:
        facts = {
            "source": evidence.source(one.call.step), "elements": elements(evidence.name_of(one.place[0]), one.where),
            "is": "is" if int(one.where.sum()) == 1 else "are", "gets": "gets" if int(one.where.sum()) == 1 else "get",
        }  # fmt: skip
        yield Finding("G606", one.how, facts, one.call.step.span)


def _shape(shape: tuple[int, ...]) -> str:
    return f"({'×'.join(map(str, shape))})"
