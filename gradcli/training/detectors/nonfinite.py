"""NaN and Inf in gradients that reached an optimizer, and where the first was born (G708)."""

from __future__ import annotations

import os
from collections.abc import Iterator

from gradcli.training.detectors.finding import Evidence, Finding, finding, label
from gradcli.training.sentences import part, times
from gradcli.training.watching.birth import Birth


def rule(evidence: Evidence) -> Iterator[Finding]:
    """The first step, the first parameter on the way back, and the birth."""
    for group in evidence.events.book.every():
        bad = [one for one in group.records if one.nonfinite]
        if not bad:
            continue
        step = min(one.bad_first or 1 for one in bad)
        there = [one for one in bad if one.bad_first == step]
        first = max(there, key=lambda one: (one.order or 0, one.place))
        lasting = max(one.nonfinite for one in bad)
        before = part("G708", "before", "clean", clean=group.clean) if 0 < group.clean < step - 1 else ""
        yield finding(
            "G708", "once" if group.clean > step else "first", [first, *(one for one in bad if one is not first)],
            step=step, name=label(first), count=len(there), of=len(group.records), times=times(lasting, "step"),
            before=before, since=_since(evidence, step),
        )  # fmt: skip
        return
    lost = evidence.events.bad_loss
    if lost is not None and not evidence.events.scalers.known:
        free = evidence.events.book.free
        seen = evidence.events.bad_stepped or free.clean >= lost > 0
        gradients = part("G708", "gradients", "finite" if seen else "unstepped")
        yield finding("G708", "loss", subject="the loss", step=lost, gradients=gradients, since=_since(evidence, lost))


def _since(evidence: Evidence, step: int) -> str:
    """Where it came from."""
    born = next((one for one in evidence.events.births.found if one.step <= step), None)
    if born is None:
        return part("G708", "since", "unknown")
    if born.leaf == "the data":
        return part("G708", "since", "data", value=born.value, line=_line(born))
    if born.leaf is not None:
        return part("G708", "since", "leaf", leaf=born.leaf, value=born.value)
    if born.operation is not None and not born.value:
        return part("G708", "since", "untold", operation=born.operation, line=_line(born))
    line, operands = _line(born), " and ".join(filter(None, born.operands))
    if born.direction == "backward":
        elements = part("G708", "elements", "some", count=born.count, size=born.size) if born.size > 1 else ""
        facts = {"operation": born.operation, "operands": operands, "elements": elements, "line": line}
        return part("G708", "since", "backward", **facts)
    met = part("G708", "met", "operands", operands=operands) if operands else ""
    return part("G708", "since", "forward", operation=born.operation, value=born.value, met=met, line=line)


def _line(born: Birth) -> str:
    return part("G708", "line", "known", place=os.path.basename(born.line)) if born.line else ""
