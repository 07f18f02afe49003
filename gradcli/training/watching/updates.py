"""What a step did to the weights: a few elements copied before it and compared after it, all of a dtype at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from gradcli.training.watching.records import HALF_LIKE, Record
from gradcli.training.watching.statistics import dense, every_norm, read

ELEMENTS = 512  # of each parameter


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Elements of parameters of one dtype before a step, one after the other; which did not require grad then."""

    records: tuple[Record, ...]
    sizes: list[int]
    before: torch.Tensor
    frozen: tuple[bool, ...]


def before(records: Sequence[Record], params: Sequence[torch.Tensor]) -> list[Sample]:
    """Copy a few elements of each parameter."""
    kinds: dict[tuple[torch.device, torch.dtype], list[tuple[Record, torch.Tensor, bool]]] = {}
    for record, param in zip(records, params, strict=True):
        elements = _elements(param)
        if elements is not None:
            kinds.setdefault((param.device, param.dtype), []).append((record, elements, not param.requires_grad))
    taken = []
    for found in kinds.values():
        parts = [one for _, one, _ in found]
        held = tuple(record for record, _, _ in found)
        taken.append(Sample(held, list(map(len, parts)), torch.cat(parts), tuple(still for _, _, still in found)))
    return taken


def after(samples: Sequence[Sample], moving: bool) -> None:
    """Compare them with what the step left; `moving`: the learning rate is not 0."""
    for one in samples:
        params = [record.ref() for record in one.records]
        parts = [None if param is None else _elements(param) for param in params]
        found = [part for part in parts if part is not None]
        if list(map(len, found)) == one.sizes:
            _compared(one, torch.cat(found), moving)
            if moving and one.before.dtype in HALF_LIKE:
                _lost(one, params, found)


def _compared(sample: Sample, now: torch.Tensor, moving: bool) -> None:
    """The size of each update, relative to its weight."""
    old = sample.before.float() if sample.before.dtype in HALF_LIKE else sample.before
    change = now.to(old.dtype) - old
    norms = read([*every_norm(torch.split(change, sample.sizes)), *every_norm(torch.split(old, sample.sizes))])
    count = len(sample.records)
    for record, moved, weight, frozen in zip(sample.records, norms, norms[count:], sample.frozen, strict=False):
        if weight > 0 and moved == moved:
            _keep(record.updates, moved / weight)
        record.moved_frozen += frozen and moved > 0 and moving


def _lost(sample: Sample, params: Sequence[torch.Tensor | None], parts: Sequence[torch.Tensor]) -> None:
    """The share of elements with a gradient that did not change."""
    for record, param, old, now in zip(
        sample.records, params, torch.split(sample.before, sample.sizes), parts, strict=True
    ):
        gradient = dense(param.grad) if param is not None and param.grad is not None else None
        pushed = None if gradient is None or gradient.shape != record.shape else _elements(gradient)
        if pushed is not None and bool(pushed.any()):
            filled = pushed != 0
            _keep(record.lost, float((filled & (now == old)).sum()) / float(filled.sum()))


def _keep(numbers: list[float], number: float) -> None:
    numbers.append(number)
    if len(numbers) > 64:
        del numbers[1::2]


def _elements(tensor: torch.Tensor) -> torch.Tensor | None:
    """Up to about 512 elements from all over a tensor, as a flat view of it where it can be one."""
    values = dense(tensor)
    if values is None or not values.is_floating_point() or not values.numel():
        return None
    if not values.is_contiguous():
        values = values.reshape(-1) if values.numel() <= 65_536 else values[:1].reshape(-1)
    return values.view(-1)[:: max(1, values.numel() // ELEMENTS)]
