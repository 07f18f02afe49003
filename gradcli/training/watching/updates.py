"""What a step did to the weights: a few elements copied before it and compared after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch

from gradcli.training.watching.records import HALF_LIKE, Record
from gradcli.training.watching.statistics import dense, read

ELEMENTS = 512  # of each parameter


class Sample(NamedTuple):
    """Elements of a parameter before a step; `frozen`: its version then, where it did not require grad."""

    record: Record
    before: torch.Tensor
    frozen: int | None


def before(records: Sequence[Record], params: Sequence[torch.Tensor]) -> list[Sample]:
    """Copy a few elements of each parameter."""
    taken = []
    for record, param in zip(records, params, strict=True):
        elements = _elements(param)
        if elements is not None:
            taken.append(Sample(record, elements.clone(), None if param.requires_grad else param._version))
    return taken


def after(samples: Sequence[Sample], moving: bool) -> None:
    """Compare them with what the step left; `moving`: the learning rate is not 0."""
    numbers: list[torch.Tensor] = []
    kept: list[tuple[Sample, bool]] = []
    for one in samples:
        param = one.record.ref()
        now = None if param is None else _elements(param)
        if param is None or now is None or now.shape != one.before.shape:
            continue
        change = now.float() - one.before.float()
        numbers += [torch.linalg.vector_norm(change), torch.linalg.vector_norm(one.before.float())]
        half = moving and one.record.dtype in HALF_LIKE and param.grad is not None
        if half:
            gradient = dense(param.grad)  # type: ignore[arg-type]
            part = None if gradient is None or gradient.shape != param.shape else _elements(gradient)
            half = part is not None
            if part is not None:
                pushed = part != 0
                numbers += [pushed.sum().float(), (pushed & (change == 0)).sum().float()]
        kept.append((one, half))
    found = iter(read(numbers))
    for one, half in kept:
        change_norm, weight = next(found), next(found)
        if weight > 0 and change_norm == change_norm:
            _keep(one.record.updates, change_norm / weight)
        if one.frozen is not None and change_norm > 0 and moving:
            one.record.moved_frozen += 1
        if half:
            pushed_count, lost = next(found), next(found)
            if pushed_count:
                _keep(one.record.lost, lost / pushed_count)


def _keep(numbers: list[float], number: float) -> None:
    numbers.append(number)
    if len(numbers) > 64:
        del numbers[1::2]


def _elements(tensor: torch.Tensor) -> torch.Tensor | None:
    """Up to 512 elements from all over a tensor, as a view of it."""
    values = dense(tensor)
    if values is None or not values.is_floating_point() or not values.numel():
        return None
    if not values.is_contiguous():
        return values.reshape(-1)[:: max(1, values.numel() // ELEMENTS)] if values.numel() <= 65_536 else values[0]
    return values.view(-1)[:: max(1, values.numel() // ELEMENTS)]
