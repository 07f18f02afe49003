"""Points where the answer is not smooth, proved by its slopes on both sides."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.diagnosis.evidence import Evidence, Finding
from gradcli.diagnosis.wording import joined, number, place
from gradcli.engine.proving.corners import Corner


def kink(evidence: Evidence) -> Iterator[Finding]:
    """G501: an operand is exactly at a kink, and the slopes of the answer on both sides differ."""
    if evidence.proofs.signs.value or evidence.proofs.signs.gradient:
        return
    for corner in evidence.proofs.corners:
        yield _finding(evidence, corner)


def _finding(evidence: Evidence, corner: Corner) -> Finding:
    names, step = [], evidence.program.steps[corner.index]
    for name, index, _ in corner.elements:
        view = evidence.outcome.inputs[name].value
        x = view.reshape(-1)[index]
        shown = number(float(x)) if not x.is_complex() else str(complex(x.item()))
        names.append(f"{place(name, index, view.shape)} = {shown}")
    name, index, slopes = corner.elements[0]
    grad = evidence.proofs.gradients[name].reshape(-1)[index]
    facts = {
        "source": evidence.source(step), "points": joined(names),
        "element": place(name, index, evidence.outcome.inputs[name].value.shape),
        "left": number(_tidy(slopes.left)), "right": number(_tidy(slopes.right)),
        "taken": number(float(grad.real)),
    }  # fmt: skip
    subject = {one for one, _, _ in corner.elements}
    sentence = "one" if len(corner.elements) == 1 else "several"
    return Finding("G501", sentence, facts, step.span, subject.pop() if len(subject) == 1 else None)


def _tidy(value: float) -> float:
    """A slope without the last digits of its estimate."""
    near = round(value, 4)
    return near if abs(near - value) < 1e-6 * max(abs(value), 1) else value
