"""A close look at the gradients of one optimizer: which are None, and as often as is due their norms and details."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import torch

from gradcli.training.watching.alarm import alarmed, choose
from gradcli.training.watching.details import Detail, details
from gradcli.training.watching.groups import Group
from gradcli.training.watching.records import Record
from gradcli.training.watching.scaler import Scalers, divisor
from gradcli.training.watching.schedule import Schedule
from gradcli.training.watching.statistics import dense, norms


class Examining:
    """Looks at gradients, and writes down what they are; `told` of a group is what on_step is told of the step."""

    def __init__(self, schedule: Schedule, scalers: Scalers, stale: Callable[[torch.Tensor], bool]) -> None:
        self._schedule, self._scalers, self._stale = schedule, scalers, stale

    def look(
        self, group: Group, params: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor | None],
        optimizer: Any = None,
    ) -> bool:  # fmt: skip
        """Look at the gradients of a group, as closely as is due; whether one was seen that is not finite."""
        group.steps = step = group.steps + 1
        self._clips(group, optimizer)
        passed, group.backwards = group.backwards, 0
        group.idle += not passed
        missing = self._missed(group, params, gradients, passed > 0)
        if group.waiting:
            _given(group, gradients)
        group.told = {"step": step, "optimizer": group.label, "none": missing, "norm": None, "nonfinite": None}
        detail = step >= group.due
        if step < group.next and not alarmed(group, gradients):
            return False
        scale, skipped = divisor(optimizer) if optimizer is not None else (1.0, False)
        if self._scalers.known:
            group.told["scale"] = self._scalers.scale()
        if skipped:
            return False
        if detail:
            group.due = self._schedule.after(step)
        began = perf_counter()
        bad = self._measure(group, gradients, scale, detail)
        _frozen(group, params, gradients)
        choose(group, gradients)
        cost = self._schedule.spend(began)
        group.next = min(group.due, self._schedule.norms(step, cost))
        return bad

    def _clips(self, group: Group, optimizer: Any) -> None:
        """What clipping saw counts when the step is taken: one that a scaler skips harms nothing."""
        bad, ready = group.clip_bad, group.clip_ready
        group.clip_bad = group.clip_ready = None
        if ready is not None and optimizer is not None and self._scalers.unscales(optimizer):
            group.clip_scaled += 1
            group.clip_scale = ready if ready == ready else None
        if bad is not None and not (optimizer is not None and divisor(optimizer)[1]):
            group.clip_wiped.append((group.steps, "NaN" if bad != bad else "0 or NaN"))
            del group.clip_wiped[100:]

    def _missed(
        self, group: Group, params: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor | None], passed: bool
    ) -> int:
        """Write down which parameters have no gradient; how many."""
        missing = [index for index, one in enumerate(gradients) if one is None]
        for index in missing:
            record, param = group.records[index], params[index]
            record.requires_grad = param.requires_grad
            if passed and record.requires_grad:
                record.none += 1
                if group.steps <= 3:
                    record.stale = record.stale or self._stale(param)
        return len(missing)

    def _measure(
        self, group: Group, gradients: Sequence[torch.Tensor | None], scale: float, detail: bool
    ) -> bool:  # fmt: skip
        found = [
            (record, numbers)
            for record, gradient in zip(group.records, gradients, strict=True)
            if gradient is not None and (numbers := dense(gradient)) is not None
        ]
        group.measured += 1
        group.detailed += detail
        if not found:
            return False
        values = [one for _, one in found]
        looked = details(values, [record.size for record, _ in found]) if detail else []
        sizes = [one.norm for one in looked] if detail else norms(values)
        total, bad = 0.0, 0
        for (record, _), norm in zip(found, sizes, strict=True):
            record.measure(group.steps, norm / scale)
            total += norm * norm
            bad += not math.isfinite(norm)
        for (record, one), seen in zip(found, looked, strict=False):
            record.detailed += 1
            record.mean, record.zeros = seen.mean / scale, 1 - seen.filled
            _units(record, one, seen)
        group.told["norm"], group.told["nonfinite"] = math.sqrt(total) / scale, bad
        if not bad:
            group.clean = group.steps
            group.measure(group.told["norm"])
        return bad > 0


def _frozen(group: Group, params: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor | None]) -> None:
    """Where a parameter was frozen meanwhile and still has a gradient: does the next step move it?"""
    for record, param, gradient in zip(group.records, params, gradients, strict=True):
        if record.requires_grad and gradient is not None and not param.requires_grad:
            record.requires_grad, group.due = False, group.steps + 1


def _units(record: Record, gradient: torch.Tensor, seen: Detail) -> None:
    """Write down which units of a layer that can be flat had a gradient."""
    if record.gate is not None and gradient.dim() >= 2 and gradient.shape == record.shape:
        record.living = seen.living if record.living is None else record.living | seen.living
        record.looks += 1


def _given(group: Group, gradients: Sequence[torch.Tensor | None]) -> None:
    """Write down which of the records that never had a gradient have one now."""
    for record, gradient in zip(group.records, gradients, strict=True):
        record.given = record.given or gradient is not None
    group.waiting = not all(record.given for record in group.records)
