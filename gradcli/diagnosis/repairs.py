"""What to write instead, in the user's own names: tried first, here and at points nearby, and offered only if it holds."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.diagnosis.evidence import Evidence, listed
from gradcli.diagnosis.wording import number
from gradcli.engine.proving.causes import Cause
from gradcli.engine.proving.masking import decides
from gradcli.engine.proving.repairing import holds
from gradcli.engine.proving.replay import Passed
from gradcli.errors import Span
from gradcli.language.program import Call, Operand, Ref, Step

SAFE = ("1", "0", "0.5", "2")  # numbers to put where a branch is not used
MOST = 8  # elements of a gradient that a sentence shows


def of_masked(evidence: Evidence, cause: Cause, masker: Passed | None) -> dict[str, str] | None:
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
        shown = {name: one for name, one in gradients.items() if one.numel() <= MOST}
        words = listed(list(shown) or list(gradients))
        values = [_written(one.tolist()) for one in shown.values()]
        return {"text": text, "grads": str(words["grads"]), "is_then": "are" if len(gradients) > 1 else "is",
                "shown": " and ".join(values) or "finite"}  # fmt: skip
    return None


def _written(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return number(value) if isinstance(value, float) else str(value)


def _masked(evidence: Evidence, cause: Cause, masker: Passed) -> Iterator[str]:
    """The text with the operand of the operation replaced where it is not used."""
    steps, call = evidence.program.steps, cause.origin.call.step
    operand = _operand(call, cause.origin.place[0])
    inner = _span(steps, operand)
    condition = next((ref for ref, value in masker.operands.items() if decides(value)), None)
    source = evidence.program.source
    if inner is None:
        return
    x = source[inner.start : inner.end]
    if condition is not None and (where := _span(steps, Ref(condition))) is not None:
        truth = source[where.start : where.end]
        for safe in SAFE:
            for text in (f"where({truth}, {x}, {safe})", f"where({truth}, {safe}, {x})"):
                yield _put(source, inner, text)
    if masker.step.style == "index" and (whole := _span(steps, masker.step.args[0])) is not None:
        index = source[whole.end : masker.step.span.end]
        moved = _put(source, Span(whole.end, masker.step.span.end), "")
        yield _put(moved, inner, f"{x if x.isidentifier() else f'({x})'}{index}")
    by = [one for one in masker.step.args if isinstance(one, Ref) and not _reads(evidence, one.step, cause)]
    if condition is None and by and (where := _span(steps, by[0])) is not None:
        for safe in SAFE:
            yield _put(source, inner, f"where({source[where.start : where.end]} != 0, {x}, {safe})")


def _smooth(evidence: Evidence, cause: Cause) -> Iterator[str]:
    """The text with a root of squares written as the norm or the absolute value that it is."""
    steps, call = evidence.program.steps, cause.origin.call.step
    source = evidence.program.source
    inner = _made_by(steps, _operand(call, cause.origin.place[0]))
    if inner is None:
        return
    base = _base_of_square(steps, inner, source)
    if base is not None:
        yield _put(source, call.span, f"abs({base})")
    if inner.function.name == "sum" and inner.args and not inner.kwargs:
        squared = _made_by(steps, inner.args[0])
        base = _base_of_square(steps, squared, source) if squared is not None else None
        if base is not None:
            dims = [str(one) for one in inner.args[1:] if isinstance(one, int)]
            yield _put(source, call.span, f"torch.linalg.vector_norm({', '.join([base, '2', *dims])})")
    whole = _span(steps, _operand(call, cause.origin.place[0]))
    if whole is not None:
        x = source[whole.start : whole.end]
        masked = _put(source, whole, f"where({x} > 0, {x}, 1)")
        end = call.span.end + len(masked) - len(source)
        yield _put(masked, Span(call.span.start, end), f"where({x} > 0, {masked[call.span.start : end]}, 0)")


def _base_of_square(steps: tuple[Step, ...], call: Call, source: str) -> str | None:
    squares = (call.function.name in ("**", "pow") and call.args[1:2] == (2,)) or call.function.name == "square"
    base = _span(steps, call.args[0]) if squares and call.args else None
    return source[base.start : base.end] if base is not None else None


def _operand(call: Call, ref: int) -> Operand:
    return next((one for one in call.args if isinstance(one, Ref) and one.step == ref), None)


def _made_by(steps: tuple[Step, ...], operand: Operand) -> Call | None:
    step = steps[operand.step] if isinstance(operand, Ref) else None
    return step if isinstance(step, Call) else None


def _span(steps: tuple[Step, ...], operand: Operand) -> Span | None:
    """The columns of an operand, where the text writes it out."""
    return steps[operand.step].span if isinstance(operand, Ref) else None


def _reads(evidence: Evidence, index: int, cause: Cause) -> bool:
    """Whether a step is on the way from the operation that is masked."""
    carrying = {cause.origin.call.index}
    for call in evidence.proofs.replay.calls if evidence.proofs.replay else ():
        if carrying & call.operands.keys():
            carrying.add(call.index)
    return index in carrying


def _put(source: str, span: Span, text: str) -> str:
    return source[: span.start] + text + source[span.end :]
