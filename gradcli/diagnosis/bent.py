"""Derivatives of a higher order that are not finite, while the gradient is."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.diagnosis.evidence import Evidence, Finding
from gradcli.diagnosis.wording import called, elements, first, joined, number
from gradcli.engine.proving.masking import leaves_out

_CODES = {"masked": "G302", "slope": "G303", "product": "G304"}
_ORDERS = {2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh", 8: "eighth", 9: "ninth"}


def bent(evidence: Evidence) -> Iterator[Finding]:
    """G302, G303, G304 of a second derivative or one beyond."""
    replay = evidence.proofs.replay
    for one in evidence.proofs.bends:
        step, at = one.call.step, first(one.where)
        by = leaves_out(replay, one.call.index) if replay is not None and one.kind == "masked" else None
        facts = {
            "source": evidence.source(step), "order": _ORDERS.get(one.order, "tenth"), "slope": number(one.slope),
            "point": f"{evidence.element(one.place[0], at, one.where, one.where.shape)} = {number(one.at)}",
            "elements": joined([elements(name, mask) for name, mask in one.spoils.items()]),
            "masker": called(evidence.source(by.step), by.step) if by is not None else "the answer",
            "found": "not finite" if any(mask.dim() for mask in one.spoils.values()) else number(one.slope),
        }  # fmt: skip
        yield Finding(_CODES[one.kind], "bend", facts, step.span, next(iter(one.spoils), None))
