"""What to write where a step hands on numbers without the graph: the same without it, tried here and nearby.

Offered only where nothing but the gradient changes, and that is the slope of the answer: what a detach() was meant for
(the straight-through estimator, a target that is held) has another one, and keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.diagnosis.columns import column_of, put
from gradcli.diagnosis.evidence import Evidence, listed
from gradcli.diagnosis.repairs import shown
from gradcli.engine.cuts import Cut
from gradcli.engine.proving.repairing import attaches
from gradcli.language.program import Call, Items, Ref

_COPIERS = {"tensor": 0, "new_tensor": 1}  # which argument they copy


def repair(evidence: Evidence, cut: Cut) -> dict[str, str] | None:
    """The facts of a repair of a cut; None where there is none, or none is tried."""
    if evidence.facts or not evidence.proofs.thorough or evidence.outcome.request.asks != "grad":
        return None
    for text in _texts(evidence, cut.step) if isinstance(cut.step, Call) else ():
        gradients = attaches(evidence.proofs, text, cut.inputs)
        if gradients is not None:
            words = listed(cut.inputs)
            return {"text": text, "grads": str(words["grads"]), "is_then": "are" if len(cut.inputs) > 1 else "is",
                    "shown": shown({name: gradients[name] for name in cut.inputs})}  # fmt: skip
    return None


def _texts(evidence: Evidence, call: Call) -> Iterator[str]:
    """The text with the operand itself, or a stack of its parts, in the place of the step."""
    program = evidence.program
    source = program.source
    copied = call.args[_COPIERS.get(call.function.name, 0)] if call.args else None
    if isinstance(copied, Items):
        inner = source[call.span.start : call.span.end].partition("(")[2].rpartition(")")[0]
        if inner.startswith("[") and inner.endswith("]"):
            yield put(source, [(call.span, f"torch.stack({inner})")])
        return
    place = column_of(program, copied, call)
    if place is not None and isinstance(copied, Ref):
        text = source[slice(*place)]
        bracketed = source[call.span.start - 1 : call.span.start] + source[call.span.end : call.span.end + 1] == "()"
        bare = bracketed or not _operates(program.steps[copied.step])
        yield put(source, [(call.span, text if bare else f"({text})")])


def _operates(step: object) -> bool:
    return isinstance(step, Call) and step.style == "operator"
