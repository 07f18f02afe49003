"""What to write instead, in the user's own names: tried here and at points nearby, and offered only if it holds."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gradcli.diagnosis.columns import column_of, put
from gradcli.diagnosis.evidence import Evidence, listed
from gradcli.diagnosis.selections import taken_first
from gradcli.diagnosis.wording import number
from gradcli.engine.proving.causes import Cause
from gradcli.engine.proving.repairing import holds
from gradcli.engine.proving.replay import Known, readers
from gradcli.errors import Span
from gradcli.language.program import Call, Operand, Ref, Step

SAFE = ("1", "0", "0.5", "2")  # numbers to put where a branch is not used
MOST = 8  # elements of a gradient that a sentence shows


def of_masked(evidence: Evidence, cause: Cause, masker: Known | None) -> dict[str, str] | None:
    """The facts of a repair of a masked branch: its operand masked before the operation."""
    return _first(evidence, _masked(evidence, cause, masker)) if masker is not None else None


def of_product(evidence: Evidence, cause: Cause) -> dict[str, str] | None:
    """The facts of a repair of 0 × inf: a function that torch gives a slope at its kink."""
    return _first(evidence, _smooth(evidence, cause))


def _first(evidence: Evidence, texts: Iterator[str]) -> dict[str, str] | None:
    for text in texts:
        gradients = holds(evidence.proofs, text)
        if gradients is None:
            continue
        few = [name for name, one in gradients.items() if one.numel() <= MOST]
        words = listed(few or list(gradients))
        return {"text": text, "grads": str(words["grads"]), "is_then": "are" if len(gradients) > 1 else "is",
                "shown": shown(gradients)}  # fmt: skip
    return None


def shown(gradients: dict[str, torch.Tensor]) -> str:
    """The gradients that are small enough for a sentence, one after another."""
    values = [_written(one.tolist()) for one in gradients.values() if one.numel() <= MOST]
    return " and ".join(values) or "finite"


def _written(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return number(value) if isinstance(value, float) else str(value)


def _masked(evidence: Evidence, cause: Cause, masker: Known) -> Iterator[str]:
    """The text with an operand of the operation replaced where it is not used: its divisor, or the one at fault."""
    call = cause.origin.call.step
    divisor = call.args[1] if call.function.divides and len(call.args) > 1 else None
    for operand in dict.fromkeys((divisor, _operand(call, cause.origin.place[0]))):
        yield from _without(evidence, cause, masker, operand)
    yield from taken_first(evidence.program, cause.origin, masker)


def _without(evidence: Evidence, cause: Cause, masker: Known, operand: Operand) -> Iterator[str]:
    """The text with this operand replaced where the operation is not used."""
    inner = column_of(evidence.program, operand, cause.origin.call.step)
    condition = next((ref for ref in masker.shapes if ref in masker.deciding), None)
    source = evidence.program.source
    if inner is None:
        return
    x = source[inner.start : inner.end]
    if condition is not None and (where := column_of(evidence.program, Ref(condition), masker.step)) is not None:
        truth = source[where.start : where.end]
        for safe in SAFE:
            for text in (f"where({truth}, {x}, {safe})", f"where({truth}, {safe}, {x})"):
                yield put(source, [(inner, text)])
    flowing = readers(evidence.program, cause.origin.call.index)
    by = [one for one in masker.step.args if isinstance(one, Ref) and one.step not in flowing]
    if condition is None and by and (where := column_of(evidence.program, by[0], masker.step)) is not None:
        for safe in SAFE:
            yield put(source, [(inner, f"where({source[where.start : where.end]} != 0, {x}, {safe})")])


def _smooth(evidence: Evidence, cause: Cause) -> Iterator[str]:
    """The text with a root of squares written as the norm or the absolute value that it is."""
    steps, call = evidence.program.steps, cause.origin.call.step
    source = evidence.program.source
    inner = _made_by(steps, _operand(call, cause.origin.place[0]))
    if inner is None:
        return
    base = _base_of_square(evidence, inner)
    if base is not None:
        yield put(source, [(call.span, f"abs({base})")])
    if inner.function.name == "sum" and inner.args and not inner.kwargs:
        squared = _made_by(steps, inner.args[0])
        base = _base_of_square(evidence, squared) if squared is not None else None
        if base is not None:
            dims = [str(one) for one in inner.args[1:] if isinstance(one, int)]
            yield put(source, [(call.span, f"torch.linalg.vector_norm({', '.join([base, '2', *dims])})")])
    whole = column_of(evidence.program, _operand(call, cause.origin.place[0]), call)
    if whole is not None:
        x = source[whole.start : whole.end]
        masked = put(source, [(whole, f"where({x} > 0, {x}, 1)")])
        end = call.span.end + len(masked) - len(source)
        yield put(masked, [(Span(call.span.start, end), f"where({x} > 0, {masked[call.span.start : end]}, 0)")])


def _base_of_square(evidence: Evidence, call: Call) -> str | None:
    squares = (call.function.name in ("**", "pow") and call.args[1:2] == (2,)) or call.function.name == "square"
    base = column_of(evidence.program, call.args[0], call) if squares and call.args else None
    return evidence.program.source[base.start : base.end] if base is not None else None


def _operand(call: Call, ref: int) -> Operand:
    return next((one for one in call.args if isinstance(one, Ref) and one.step == ref), None)


def _made_by(steps: tuple[Step, ...], operand: Operand) -> Call | None:
    step = steps[operand.step] if isinstance(operand, Ref) else None
    return step if isinstance(step, Call) else None
