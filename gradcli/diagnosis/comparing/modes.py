"""The verdict on grad modes: whether the times differ by more than rounds do, and what is kept for backward."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.compared import Times
from gradcli.diagnosis.comparing.refused import refusal_of
from gradcli.diagnosis.notes import diagnose
from gradcli.diagnosis.remarks import REMARKS
from gradcli.engine.comparing.modes import Way
from gradcli.engine.memory import shown
from gradcli.results import Note

_LOSSES = frozenset({"G101", "G102", "G103", "G104", "G105", "G107"})
_REASONS = {"no_grad": "not recorded", "inference": "not recorded", "detached": "detached"}
_UNITS = ((1.0, "s"), (1e3, "ms"), (1e6, "µs"))


def verdict_on(ways: Sequence[Way]) -> str:
    """What torch refuses, and what no_grad gains beside grad, as it was measured."""
    by_name = {way.name: way for way in ways}
    refused = [name for name, way in by_name.items() if way.attempt.outcome is None]
    told = [REMARKS["ways_refused"].format(ways=" and ".join(refused))] if refused else []
    return "; ".join(filter(None, [*told, _gained(by_name["grad"], by_name["no_grad"])]))


def _gained(grad: Way, other: Way) -> str:
    times, memory = _on_time(grad, other), _on_memory(grad, other)
    saves = grad.saved is not None and other.saved is not None and grad.saved.beside > other.saved.beside
    told = (memory, times) if saves else (times, memory)  # what is sure comes first
    return "; ".join(part for part in told if part)


def _on_time(grad: Way, other: Way) -> str:
    one, two = grad.forward, other.forward
    if one is None or two is None:
        return ""
    facts = {"mode": other.name, "one": spread(one), "other": spread(two)}
    if not apart(one, two):
        return REMARKS["mode_unclear"].format(**facts)
    share = abs(one.median - two.median) / one.median
    faster = "faster" if two.median < one.median else "slower"
    return REMARKS["mode_clear"].format(**facts, percent=f"{100 * share:.0f}", faster=faster)


def apart(one: Times, two: Times) -> bool:
    """Whether two times differ by more than their rounds do."""
    return one.high < two.low or two.high < one.low


def _on_memory(grad: Way, other: Way) -> str:
    if grad.saved is None or other.saved is None:
        return ""
    kept, less = grad.saved, other.saved.beside
    facts = {"mode": other.name, "bytes": shown(kept.beside or kept.total), "less": shown(less) if less else "nothing"}
    if kept.beside > less:
        held = REMARKS["mode_held"] if kept.beside < kept.total else ""
        return REMARKS["mode_saves"].format(**facts, held=held)
    return REMARKS["mode_saves_nothing" if kept.total else "mode_keeps_nothing"].format(**facts)


def spread(times: Times) -> str:
    """A time as people read it, with how far its rounds lie from it: 12.3 ±0.4 µs."""
    factor, unit = next(((by, unit) for by, unit in _UNITS if times.median * by >= 1), _UNITS[-1])
    value, off = (f"{one * factor:.0f}" if one * factor >= 100 else f"{one * factor:.{digits}g}"
                  for one, digits in ((times.median, 3), (times.spread, 2)))  # fmt: skip
    return f"{value} ±{off} {unit}"


def why_none(way: Way, notes: Sequence[Note]) -> str | None:
    """Why inputs have no gradient under a mode, in a word or two; None where all have one."""
    outcome = way.attempt.outcome
    if outcome is None or all(one.grad is not None for one in outcome.inputs.values() if one.origin != "constant"):
        return None
    if way.name in _REASONS:
        return _REASONS[way.name]
    if way.attempt.refusal is not None:
        return "refused"
    codes = dict.fromkeys(note.code for note in notes if note.code in _LOSSES)
    return ", ".join(map(str, codes)) or "no gradient"


def notes_on_ways(ways: Sequence[Way], notes: bool) -> Iterator[Note]:
    """The notes on the evaluation that records, and what torch refused of each."""
    grad = ways[0].attempt.outcome
    if notes and grad is not None:
        yield from diagnose(grad)
    for way in ways:
        if way.attempt.refusal is not None:
            yield refusal_of(way.name, way.attempt)
