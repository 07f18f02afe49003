"""Gradients that vanish (G705) or explode (G706) from layer to layer, or from step to step (G706)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from gradcli.training.detectors.finding import Evidence, Finding, finding, label, number
from gradcli.training.watching.graph import LINEAR
from gradcli.training.watching.records import Record

EARLY = 5  # norms that are called early
LATE = 3  # norms that are called late


@dataclass(frozen=True, slots=True)
class Fit:
    """A straight line through log sizes: its factor a layer towards the output, how well it explains them."""

    factor: float
    explained: float


def rule(evidence: Evidence) -> Iterator[Finding]:
    """Over layers for the weights, or the biases where those show nothing; then over time."""
    told = False
    for group in evidence.events.book.every():
        for kind in (_weights(group.records), _biases(group.records)):
            found = _over_layers(evidence, kind)
            if found is not None:
                told = told or found.note.code == "G706"
                yield found
                break
    if not told:
        yield from _over_time(evidence)


def _usual(record: Record) -> float:
    """The root mean square of a gradient at a usual step."""
    norms = [norm for _, norm in record.norms.kept if norm > 0]
    return median(norms) / math.sqrt(max(record.size, 1)) if norms else 0.0


def _weights(records: Sequence[Record]) -> list[Record]:
    return [one for one in records if len(one.shape) >= 2 and one.use != "Embedding" and _usual(one) > 0]


def _biases(records: Sequence[Record]) -> list[Record]:
    """Those of linear maps, but for what normalization cancels; their gradients lack the factor of the forward pass."""
    return [one for one in records if len(one.shape) == 1 and one.use in (*LINEAR, "") and _usual(one) > 0]


def _over_layers(evidence: Evidence, records: Sequence[Record]) -> Finding | None:
    """A geometric fall or growth of gradients towards the input."""
    limits = evidence.thresholds
    orders = {one.order for one in records}
    if None in orders or len(orders) < len(records):  # a compiled model hides them: the order of the model itself
        ordered = sorted(records, key=lambda one: (one.rank, one.place))
    else:
        ordered = sorted(records, key=lambda one: one.order or 0)
    if len(ordered) < limits["depth"]:
        return None
    sizes = [_usual(one) for one in ordered]
    first, last = sizes[0], sizes[-1]
    fit = fitted([math.log(one) for one in sizes])
    ratio = last / first
    code = "G705" if ratio >= limits["fall"] else "G706" if 1 / ratio >= limits["growth"] else None
    factor = fit.factor if code == "G705" else 1 / fit.factor
    if code is None or factor < limits["factor"] or fit.explained < limits["straight"]:
        return None
    return finding(
        code, "layers", (ordered[0],), last=number(last), last_name=label(ordered[-1]), first=number(first),
        first_name=label(ordered[0]), factor=number(factor), count=len(ordered),
    )  # fmt: skip


def fitted(logs: Sequence[float]) -> Fit:
    """Least squares of logarithms over 0, 1, 2, …"""
    count = len(logs)
    middle, mean = (count - 1) / 2, sum(logs) / count
    spread = sum((index - middle) ** 2 for index in range(count))
    slope = sum((index - middle) * (one - mean) for index, one in enumerate(logs)) / spread
    total = sum((one - mean) ** 2 for one in logs)
    return Fit(math.exp(min(slope, 700)), slope * slope * spread / total if total else 0.0)


def _over_time(evidence: Evidence) -> Iterator[Finding]:
    """The norm of all gradients of an optimizer, where it grew a thousandfold and still does.

    Of all together: a part that begins at zero, as adapters do, grows by any factor in a healthy run.
    """
    for group in evidence.events.book.every():
        norms = [norm for _, norm in group.norms.kept if norm > 0]
        if len(norms) < EARLY + LATE:
            continue
        early, late = median(norms[:EARLY]), median(norms[-LATE:])
        if norms[-1] >= max(norms) / 10 and late > evidence.thresholds["burst"] * early:
            largest = max(group.records, key=lambda one: one.last or 0.0)
            yield finding("G706", "time", (largest,), name=label(largest), early=number(early), late=number(late),
                          step=group.norms.kept[-1][0])  # fmt: skip
            return
