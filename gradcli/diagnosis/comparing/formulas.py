"""The verdict on formulas: whether they agree, where they part, and which of them is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.diagnosis.comparing.refused import refusal_of
from gradcli.diagnosis.notes import diagnose
from gradcli.diagnosis.remarks import REMARKS
from gradcli.engine.comparing.formulas import Formula, Found
from gradcli.engine.comparing.misses import Miss
from gradcli.engine.comparing.truth import Truth
from gradcli.engine.operations import shape_text
from gradcli.errors import Span
from gradcli.report import Axis
from gradcli.results import Note

DIGITS = 4


def verdict_on(found: Found, labels: Sequence[str]) -> str:
    """What is to be said of formulas together, in a sentence."""
    return _SAYS[found.kind](found, labels)


def _agree(found: Found, _: Sequence[str]) -> str:
    if found.truth is None:
        return REMARKS["formulas_agree"]
    return REMARKS[f"formulas_agree_{found.truth.by}"]


def _wrong(found: Found, labels: Sequence[str]) -> str:
    return REMARKS["formulas_wrong"].format(how="; ".join(_misses(found, labels)))


def _shapes(found: Found, labels: Sequence[str]) -> str:
    told = []
    for label, one in zip(labels, found.formulas, strict=True):
        if one.attempt.outcome is not None:
            shapes = " and ".join(shape_text(view.shape) for view in one.attempt.outcome.outputs)
            told.append(REMARKS["formula_shape"].format(name=label, shapes=shapes))
    return REMARKS["formulas_part"].format(how=", ".join(told))


def _part(found: Found, labels: Sequence[str]) -> str:
    right = [label for label, one in zip(labels, found.formulas, strict=True) if one.right]
    told = list(_misses(found, labels))
    if right:
        names = f"{', '.join(right[:-1])} and {right[-1]} are" if len(right) > 1 else f"{right[0]} is"
        told.append(REMARKS["formula_right"].format(names=names, numbers=_numbers(found)))
    else:
        told.append(REMARKS["formulas_none_right"])
    return REMARKS["formulas_part"].format(how="; ".join(told))


def _functions(found: Found, labels: Sequence[str]) -> str:
    assert found.apart is not None
    told = []
    for label, truth in zip(labels, found.truths, strict=True):
        if truth is not None:
            told.append(f"{label} {_short(_element(truth, found.apart))}")
    return REMARKS["formulas_differ"].format(place=place_of(found.apart), how=", ".join(told))


def _unknown(found: Found, _: Sequence[str]) -> str:
    miss = found.apart
    assert miss is not None
    return REMARKS[f"formulas_{found.kind}"].format(place=place_of(miss), one=_short(miss.want), other=_short(miss.got))


def _refused(found: Found, labels: Sequence[str]) -> str:
    refused = [(label, one.attempt) for label, one in zip(labels, found.formulas, strict=True) if one.attempt.refusal]
    forward = [label for label, one in refused if one.outcome is None]
    names = " and ".join(forward or [label for label, _ in refused])
    return REMARKS["formulas_refused" if forward else "formulas_no_way_back"].format(names=names)


_SAYS = {
    "agree": _agree, "wrong": _wrong, "shapes": _shapes, "part": _part, "functions": _functions, "unknown": _unknown,
    "kink": _unknown,     "refused": _refused,
}  # fmt: skip


def _misses(found: Found, labels: Sequence[str]) -> Iterator[str]:
    """What each formula that is not right does wrong."""
    for label, one in zip(labels, found.formulas, strict=True):
        if one.right is False:
            yield _how(label, one)


def _how(label: str, formula: Formula) -> str:
    miss = formula.miss
    assert miss is not None
    facts = {"name": label, "place": place_of(miss), "got": _short(miss.got), "want": _short(miss.want)}
    if formula.departure is not None:
        kind, source, got = formula.departure
        told = REMARKS[kind].format(name=label, source=source, got=_short(got))
        return told if kind in ("overflow", "pole", "nan") else REMARKS["formula_so"].format(told=told, **facts)
    if formula.arriving is not None:
        source, got = formula.arriving
        told = REMARKS["arriving"].format(name=label, source=source, got=_short(got))
        return REMARKS["formula_so"].format(told=told, **facts)
    if miss.got is None:
        return REMARKS["formula_none"].format(**facts)
    return REMARKS["formula_off"].format(**facts, gap=f"{miss.gap:.2g}")


def place_of(miss: Miss) -> str:
    """What a number is called: value, A.grad, with its index where there are several, and how many more are off."""
    label = f"{miss.name}.grad" if miss.name else "value" if miss.output == 0 else f"value {miss.output + 1}"
    several = f" (and {miss.count - 1:,} more)" if miss.count > 1 else ""
    return f"{Axis(label, miss.shape).element(miss.index)}{several}"


def _numbers(found: Found) -> str:
    """The right value and slopes, where they are single numbers."""
    truth = found.truth
    if truth is None:
        return ""
    outputs = truth.numbers.outputs
    grads = {name: one for name, one in truth.numbers.grads.items() if one is not None}
    if len(outputs) != 1 or any(one.dim() for one in (*outputs, *grads.values())):
        return ""
    slopes = [f"{'slope' if len(grads) == 1 else f'{name}.grad'} {_short(one.item())}" for name, one in grads.items()]
    return f" ({', '.join([f'value {_short(outputs[0].item())}', *slopes])})"


def _element(truth: Truth, miss: Miss) -> float:
    numbers = truth.numbers
    tensor = numbers.outputs[miss.output] if miss.name is None else numbers.grads.get(miss.name)
    return 0.0 if tensor is None else float(tensor.reshape(-1)[miss.index])


def _short(value: complex | float | None) -> str:
    return str(value) if value is None or isinstance(value, bool) else f"{value:.{DIGITS}g}"


def notes_on(found: Found, labels: Sequence[str], starts: Sequence[int], notes: bool) -> Iterator[Note]:
    """The notes on each formula, each once, their columns counted in all formulas; unused inputs; refusals."""
    told: set[tuple[str | None, str]] = set()
    used = frozenset(name for one in found.formulas for name in one.attempt.request.program.inputs)
    for label, start, formula in zip(labels, starts, found.formulas, strict=True):
        outcome, program = formula.attempt.outcome, formula.attempt.request.program
        for note in diagnose(outcome) if notes and outcome is not None else ():
            elsewhere = note.code == "G104" and note.subject in used - set(program.inputs)
            if not elsewhere and (note.code, note.message) not in told:
                told.add((note.code, note.message))
                yield moved(note, start)
        unused = [name for name in outcome.inputs if name in used - set(program.inputs)] if outcome is not None else []
        if unused and notes:
            yield Note(None, "info", REMARKS["formula_unused"].format(name=label, inputs=" and ".join(unused)))
        if formula.attempt.refusal is not None:
            yield moved(refusal_of(label, formula.attempt), start)


def moved(note: Note, start: int) -> Note:
    """A note on a formula, its columns counted in the text of all."""
    span = None if note.span is None else Span(note.span.start + start, note.span.end + start)
    return Note(note.code, note.level, note.message, span, note.subject)
