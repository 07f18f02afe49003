"""torch's refusal of one way of a comparison, as a note: the other ways stand."""

from __future__ import annotations

from gradcli.diagnosis.refusals import with_code
from gradcli.diagnosis.remarks import REMARKS
from gradcli.engine.comparing.attempt import Attempt
from gradcli.results import Note


def refusal_of(way: str, attempt: Attempt) -> Note:
    """What torch said of a way, with the code that its message stands for."""
    refusal = attempt.refusal
    assert refusal is not None
    message = REMARKS["refused"].format(way=way, message=refusal.message.rstrip("."))
    return Note(with_code(refusal).code, "warning", message, refusal.span)
