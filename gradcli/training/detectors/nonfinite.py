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
        before = part("G708", "before", clean=group.clean) if 0 < group.clean < step - 1 else ""
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
        gradients = part("G708", "finite" if seen else "unstepped")
        yield finding("G708", "loss", subject="the loss", step=lost, gradients=gradients, since=_since(evidence, lost))


def _since(evidence: Evidence, step: int) -> str:
    """Where it came from."""
    born = next((one for one in evidence.events.births.found if one.step <= step), None)
    if born is None:
        return part("G708", "unknown")
    if born.leaf == "the data":
        return part("G708", "data", value=born.value, line=_line(born))
    if born.leaf is not None:
        return part("G708", "leaf", leaf=born.leaf, value=born.value)
    if born.operation is not None and not born.value:
        return part("G708", "untold", operation=born.operation, line=_line(born))
    met = [one for one in born.operands if one]
    if born.direction == "backward":
        elements = part("G708", "elements", count=born.count, size=born.size) if born.size > 1 else ""
        at = " and ".join(met)
        return part("G708", "backward", operation=born.operation, operands=at, elements=elements, line=_line(born))
    of = part("G708", "of", operands=" and ".join(met)) if met else ""
    return part("G708", "forward", operation=born.operation, value=born.value, operands=of, line=_line(born))


def _line(born: Birth) -> str:
    return part("G708", "line", line=os.path.basename(born.line)) if born.line else ""
