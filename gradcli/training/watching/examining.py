"""A close look at the gradients of one optimizer: which are None, and as often as is due their norms and details."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import torch

from gradcli.training.watching.records import Group, Record
from gradcli.training.watching.scaler import Scalers, divisor
from gradcli.training.watching.schedule import Schedule
from gradcli.training.watching.statistics import dense, details, finite, living, norms, plain

NEAR = 4  # parameters nearest the input, of which the smallest is looked at in every step for NaN and Inf
SMALL = 65_536  # elements of its gradient


class Examining:
    """Looks at gradients, and writes down what they are; `told` of a group is what on_step is told of the step."""

    def __init__(self, schedule: Schedule, scalers: Scalers, stale: Callable[[torch.Tensor], bool]) -> None:
        self._schedule, self._scalers, self._stale = schedule, scalers, stale

    def look(
        self, group: Group, records: Sequence[Record], params: Sequence[torch.Tensor], optimizer: Any = None
    ) -> bool:
        """Look at the gradients of a group, as closely as is due; whether one was seen that is not finite."""
        group.steps += 1
        step = group.steps
        self._clips(group, optimizer)
        gradients = [one.grad for one in params]
        passed, group.backwards = group.backwards, 0
        group.idle += not passed
        missing = [index for index, gradient in enumerate(gradients) if gradient is None]
        for index in missing:
            self._missed(records[index], params[index], step, passed > 0)
        if group.waiting:
            _given(group, records, gradients)
        group.told = {"step": step, "optimizer": group.label, "none": len(missing), "norm": None, "nonfinite": None}
        detail = step >= group.due
        if not (detail or self._schedule.norms(step, group.looked)) and not _alarmed(gradients):
            return False
        group.looked = step
        scale, skipped = divisor(optimizer) if optimizer is not None else (1.0, False)
        if self._scalers.known:
            group.told["scale"] = self._scalers.scale()
        if skipped:
            return False
        if detail:
            group.due = self._schedule.after(step)
        began = perf_counter()
        bad = self._measure(group, records, params, gradients, scale, detail)
        self._schedule.spend(began)
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

    def _missed(self, record: Record, param: torch.Tensor, step: int, passed: bool) -> None:
        record.requires_grad = param.requires_grad
        if not passed or not param.requires_grad:
            return
        record.none += 1
        if step <= 3:
            record.stale = record.stale or self._stale(param)

    def _measure(
        self, group: Group, records: Sequence[Record], params: Sequence[torch.Tensor],
        gradients: Sequence[torch.Tensor | None], scale: float, detail: bool,
    ) -> bool:  # fmt: skip
        found = [
            (record, param, values)
            for record, param, gradient in zip(records, params, gradients, strict=True)
            if gradient is not None and (values := dense(gradient)) is not None
        ]
        group.measured += 1
        group.detailed += detail
        for record, param, _ in found:
            if record.requires_grad and not param.requires_grad:  # frozen meanwhile: does the next step move it?
                record.requires_grad, group.due = False, group.steps + 1
        if not found:
            return False
        gradient_values = [one for _, _, one in found]
        looked = details(gradient_values, [record.size for record, _, _ in found]) if detail else []
        sizes = [one.norm for one in looked] if detail else norms(gradient_values)
        total, bad = 0.0, 0
        for (record, _, _), norm in zip(found, sizes, strict=True):
            record.measure(group.steps, norm / scale)
            total += norm * norm
            bad += not math.isfinite(norm)
        for (record, _, _), seen in zip(found, looked, strict=False):
            record.detailed += 1
            record.mean, record.zeros = seen.mean / scale, 1 - seen.filled
        if detail:
            _units([(record, one, seen.whole) for (record, _, one), seen in zip(found, looked, strict=True)])
        group.told["norm"], group.told["nonfinite"] = math.sqrt(total) / scale, bad
        if not bad:
            group.clean = group.steps
            group.measure(group.told["norm"])
        return bad > 0


def _units(found: Sequence[tuple[Record, torch.Tensor, bool]]) -> None:
    """Write down which units of layers that can be flat had a gradient."""
    gated = [row for row in found if row[0].gate is not None and row[1].dim() >= 2 and row[1].shape == row[0].shape]
    some = iter(living([one for _, one, whole in gated if not whole]))
    for record, one, whole in gated:
        alive = one.new_ones(len(one), dtype=torch.bool) if whole else next(some)
        record.living = alive if record.living is None else record.living | alive
        record.looks += 1


def _given(group: Group, records: Sequence[Record], gradients: Sequence[torch.Tensor | None]) -> None:
    """Write down which of the records that never had a gradient have one now."""
    for record, gradient in zip(records, gradients, strict=True):
        record.given = record.given or gradient is not None
    group.waiting = not all(record.given for record in records)


def _alarmed(gradients: Sequence[torch.Tensor | None]) -> bool:
    """Whether a small gradient near the input is not finite: what is not gets there on the way back."""
    near = [one for one in gradients[: 2 * NEAR] if one is not None][:NEAR]
    if not near:
        return False
    one = min(near, key=torch.Tensor.numel)
    if one.layout is not torch.strided or one.device.type != "cpu" or one.numel() > SMALL or not plain(one):
        return False
    return not math.isfinite(one.sum().item()) and not finite(one)
