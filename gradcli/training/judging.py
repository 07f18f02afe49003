"""From what was seen to a Health: parameters as rows, findings as notes, a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from statistics import median

from gradcli.diagnosis.remarks import REMARKS
from gradcli.health import Health, Scaling, Seen
from gradcli.parameters import Parameter
from gradcli.results import Note
from gradcli.training.detectors import findings
from gradcli.training.sentences import often, times
from gradcli.training.watching.events import Events
from gradcli.training.watching.groups import Group
from gradcli.training.watching.records import Record


def judged(events: Events | None, thresholds: Mapping[str, float], failure: str | None) -> Health:
    """The health of what was watched."""
    if events is None:
        return Health("nothing was watched")
    found = findings(events, thresholds)
    codes: dict[int, list[str]] = {}
    for one in found:
        for record in one.records:
            codes.setdefault(id(record), []).append(one.note.code or "")
    parameters = tuple(_parameter(events, one, tuple(codes.get(id(one), ()))) for one in _shown(events))
    notes = (*(one.note for one in found), *_unseen(events))
    if failure is not None:
        notes = (*notes, Note(None, "warning", REMARKS["unwatched"].format(failure=failure)))
    return Health(_verdict(events, parameters, notes), parameters, (), notes, _seen(events), _scaling(events))


def _shown(events: Events) -> list[Record]:
    """Parameters of models, whatever an optimizer holds, and without one what backward reached again and again."""
    plain = not events.book.groups

    def shown(one: Record) -> bool:
        lasting = one.parameter or (plain and one.measured > 1)
        return one.optimizer is not None or (lasting and bool(one.reached or one.none) and not one.passing)

    return sorted(filter(shown, events.book.all), key=lambda one: (one.rank, one.place))


def _steps(events: Events, record: Record) -> int:
    return max((group.steps for group in events.book.every() if record in group.records), default=record.measured)


def _parameter(events: Events, one: Record, codes: tuple[str, ...]) -> Parameter:
    norms = [norm for _, norm in one.norms.kept]
    quarter = max(1, len(norms) // 4)
    early, late = (median(norms[:quarter]), median(norms[-quarter:])) if len(norms) >= 4 else (0.0, 0.0)
    return Parameter(
        one.name or f"tensor {one.place + 1}", one.shape, str(one.dtype).removeprefix("torch."), one.device,
        one.requires_grad, one.optimizer, _steps(events, one), one.measured, one.none, one.zero, one.nonfinite,
        one.first, one.last, None if math.isinf(one.low) else one.low, one.high if one.first is not None else None,
        one.mean, one.zeros, median(one.updates) if one.updates else None, late / early if early > 0 else None, codes,
    )  # fmt: skip


def _unseen(events: Events) -> Iterator[Note]:
    """What could not be looked at: whole passes, where nothing else was, and the inside of compiled models."""
    nothing = not events.backwards and not _main(events).steps
    for kind, count in events.hidden.items():
        if count and nothing:
            yield Note(None, "info", REMARKS[f"unseen_{kind}"].format(runs=often(count)))
    if any(one.use.startswith("CompiledFunction") for one in events.book.all):
        yield Note(None, "info", REMARKS["unseen_compiled"])
    if events.blind:
        yield Note(None, "info", REMARKS["unseen_engine"])


def _main(events: Events) -> Group:
    return max(events.book.every(), key=lambda group: group.steps)


def _seen(events: Events) -> Seen:
    group = _main(events)
    return Seen(group.steps, events.backwards, group.measured, group.detailed)


def _scaling(events: Events) -> Scaling | None:
    scalers = events.scalers
    if scalers.first is None or scalers.last is None:
        return None
    return Scaling(scalers.first, scalers.last, scalers.updates, scalers.skipped)


def _verdict(events: Events, parameters: tuple[Parameter, ...], notes: tuple[Note, ...]) -> str:
    """One sentence."""
    warnings = [note for note in notes if note.code and note.level == "warning"]
    if warnings:
        more = f", and {len(warnings) - 1} more" if len(warnings) > 1 else ""
        said = warnings[0].message.partition(":")[0].partition(". ")[0].rstrip(".")
        return f"not healthy: {said} ({warnings[0].code}){more}"
    steps = _main(events).steps
    if not steps and events.backwards:
        skipped = next((f" ({note.code})" for note in notes if note.code == "G709"), "")
        return f"backward() ran {often(events.backwards)}, and no optimizer stepped{skipped}"
    if not steps:
        return "no backward pass and no step of an optimizer was seen"
    count = sum(one.measured > 0 for one in parameters)
    if not count:
        return f"no gradient of a parameter was seen in {times(steps, 'step')}"
    return f"healthy: {times(count, 'parameter')} over {times(steps, 'step')}"
