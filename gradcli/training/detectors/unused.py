"""Parameters without a gradient: in no step (G701), in no step because the model let them go (G703), in some (G714)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from gradcli.training.detectors.finding import Evidence, Finding, finding, label, named
from gradcli.training.sentences import agreeing, often, part
from gradcli.training.watching.groups import Group
from gradcli.training.watching.records import Record


def rule(evidence: Evidence) -> Iterator[Finding]:
    """None at every step, or at some."""
    for group in evidence.optimizers:
        yield from _held(evidence, group)
    if not evidence.events.book.groups:
        yield from _alone(evidence)


def _held(evidence: Evidence, group: Group) -> Iterator[Finding]:
    never = [one for one in group.records if _never(one) and one.requires_grad]
    stale = [one for one in never if one.stale]
    unused = [one for one in never if not one.stale]
    if stale:
        new = [one for one in evidence.events.book.all if one.optimizer is None and one.parameter and one.reached]
        fresh = part("G703", "fresh", "new", new=named(new)) if new else part("G703", "fresh", "unknown")
        if all(_succeeded(evidence, group, one) for one in stale):
            fresh = part("G703", "fresh", "held")
        yield finding("G703", "stale", stale, optimizer=group.label, names=named(stale), fresh=fresh)
    if unused and len(unused) == len(group.records):
        passes = often(evidence.events.backwards)
        loss = part("G701", "loss", "leaf" if evidence.events.leaves >= evidence.events.passing.walked else "cut")
        yield finding("G701", "everything", unused, optimizer=group.label, passes=passes, them="them", loss=loss)
    elif unused:
        steps = f"{max(one.none for one in unused):,}"
        yield finding("G701", "optimizer", unused, steps=steps, **_facts(evidence, unused))
    some = [one for one in group.records if one.none and one.measured]
    for count, same in groupby(sorted(some, key=lambda one: (one.none, one.place)), key=lambda one: one.none):
        records = list(same)
        steps = max(group.steps - group.idle, count + 1)
        yield finding("G714", "some", records, names=named(records), count=count, of=f"{steps:,}")


def _succeeded(evidence: Evidence, group: Group, record: Record) -> bool:
    """Whether the optimizer holds what took the place of a parameter, as after tying it to another."""
    old = record.ref()
    new = None if old is None else evidence.events.names.successor(old)
    found = None if new is None else evidence.events.book.known(new)
    return found is not None and found in group.records


def _never(record: Record) -> bool:
    """None in every step that could have given it one."""
    return record.none > 0 and record.measured == 0 and not record.given


def _alone(evidence: Evidence) -> Iterator[Finding]:
    """Without an optimizer: None after a backward pass in which others got one."""
    records = evidence.events.book.free.records
    if not any(one.measured for one in records):
        return
    unused = [one for one in records if one.parameter and _never(one) and one.requires_grad]
    if unused:
        yield finding("G701", "alone", unused, **_facts(evidence, unused))


def _facts(evidence: Evidence, unused: list[Record]) -> dict[str, str]:
    """Their names, and the layer that is left out as a whole, or no more than that the loss does not depend on them."""
    words = agreeing(unused)
    missing = {label(one) for one in unused}
    prefix = label(unused[0]).rpartition(".")[0]
    inside = (
        {label(one) for one in evidence.events.book.all if label(one).startswith(f"{prefix}.")} if prefix else set()
    )
    whole = bool(inside) and inside == missing and len(inside) > 1
    place = part("G701", "place", "whole", layer=prefix) if whole else part("G701", "place", "some", **words)
    return {**words, "names": named(unused), "place": place}
