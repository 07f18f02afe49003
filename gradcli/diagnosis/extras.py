"""Notes on what the options of `grad`, and whole derivatives, found beside the answer."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gradcli.diagnosis.catalogue import CATALOGUE
from gradcli.diagnosis.remarks import REMARKS
from gradcli.engine.forward import missing_formula
from gradcli.engine.gradient import Outcome
from gradcli.errors import GradcliError
from gradcli.extras import Extra, Higher, History, Scaling
from gradcli.results import Note


def notes_on(outcome: Outcome, extra: Extra) -> Iterator[Note]:
    """What is to be known of an extra; nothing where backward did not run."""
    if not outcome.went_back:
        return
    if isinstance(extra, Higher):
        yield from _on_higher(outcome, extra)
    elif isinstance(extra, History):
        yield from _on_history(outcome, extra)
    else:
        yield from _on_scaling(outcome, extra)


def on_flat(names: Collection[str]) -> Iterator[Note]:
    """Zeros that torch did not compute."""
    if names:
        yield _remark("flat", names=_listed(sorted(names)))


def on_refusal(outcome: Outcome, refusal: Exception | str | None, instead: str) -> Iterator[Note]:
    """Why forward mode did not answer, and what did: `jacobian`, `twice` or `rows`."""
    if refusal is None:
        return
    facts = {"instead": REMARKS[instead], "reason": str(refusal).removeprefix("torch: ")}
    operation = missing_formula(refusal) if isinstance(refusal, Exception) else None
    if operation is None:
        yield _remark("no_forward", **facts)
        return
    span = refusal.span if isinstance(refusal, GradcliError) else None
    span = span or outcome.request.program.outputs[0].span
    source = " ".join(outcome.request.program.source[span.start : span.end].split())
    note = _remark("no_formula", **facts, source=source, operation=operation)
    yield Note(None, "info", note.message, span)


def _on_higher(outcome: Outcome, higher: Higher) -> Iterator[Note]:
    """Whether the derivatives are those of each element; a number's of a number need no word."""
    if higher.order < 2:
        return
    yield from on_flat(higher.flat)
    lone = all(one.numel() == 1 for one in outcome.results)
    reached = [name for name, found in higher.derivatives.items() if found[0] is not None]
    told = [name for name in reached if not (lone and outcome.inputs[name].value.numel() == 1)]
    for sentence, names in (
        ("elementwise", [name for name in told if name in higher.elementwise]),
        ("summed", [name for name in told if name not in higher.elementwise]),
    ):
        if names:
            yield _remark(sentence, names=_listed(names))


def _on_history(outcome: Outcome, history: History) -> Iterator[Note]:
    """What accumulated, and what zero_grad() changed."""
    made = [name for name in history.grads if outcome.inputs[name].origin == "inside"]
    if history.calls > 1 and len(made) < len(history.grads):
        yield _remark("accumulates" if history.kept is None else "zeroed")
    if made:
        yield _remark("made", names=_listed(made))


def _on_scaling(outcome: Outcome, scaling: Scaling) -> Iterator[Note]:
    """What under- or overflowed at the scale, what the scale saved, and which scales keep everything."""
    if scaling.lost is None or scaling.plain is None:
        yield _remark("incomparable")
        return
    if scaling.searched:
        yield _on_window(scaling)
    scale = _power(scaling.scale)
    for name, lost in scaling.lost.items():
        dtype, before = outcome.inputs[name].dtype, scaling.plain[name]
        for code, count in (("G601", lost.under), ("G602", lost.over)):
            if count:
                yield _lost(code, count, {"of": f"{lost.of:,}", "name": name, "dtype": dtype, "scale": scale})
        if before.under > lost.under:
            facts = {
                "before": f"{before.under:,}",
                "of": f"{before.of:,}",
                "after": f"{lost.under:,}" if lost.under else "none",
            }
            yield _remark("saved", **facts, name=name, dtype=dtype, scale=scale)
    narrow = {
        outcome.inputs[name].dtype for name, grad in scaling.scaled.items() if grad is not None and grad.itemsize < 4
    }
    if narrow:
        yield _remark("unscaled", dtypes=" and ".join(sorted(narrow)))


def _lost(code: str, count: int, facts: dict[str, str]) -> Note:
    entry = CATALOGUE[code]
    message = entry.says["scaled"].format(count=f"{count:,}", are="is" if count == 1 else "are", **facts)
    return Note(code, entry.level, message, None, facts["name"])


def _on_window(scaling: Scaling) -> Note:
    if scaling.window is None:
        worst = sum(one.under + one.over for one in (scaling.lost or {}).values())
        note = _remark("no_window", scale=_power(scaling.scale), worst=f"{worst:,}")
        return Note(None, "warning", note.message)
    least, most = map(_power, scaling.window)
    span = f"from {least} to {most} keep" if least != most else f"at {least} alone keep"
    return _remark("window", span=span, scale=_power(scaling.scale))


def _power(scale: float) -> str:
    """2^10 for 1024; other numbers as they are."""
    mantissa, _, exponent = scale.hex().partition("p")
    return f"2^{int(exponent)}" if float.fromhex(mantissa) == 1 else f"{scale:g}"


def _listed(names: list[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"


def _remark(sentence: str, **facts: str) -> Note:
    return Note(None, "info", REMARKS[sentence].format(**facts))
