"""What a step did to the weights: a few elements copied before it and compared after it, all of a dtype at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from gradcli.training.watching.records import HALF_LIKE, Record
from gradcli.training.watching.statistics import dense

ELEMENTS = 512  # of each parameter


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Elements of parameters of one dtype before a step, one after the other; which did not require grad then.

    `places` are views of the parameters, and where each had its numbers.
    """

    records: tuple[Record, ...]
    places: tuple[tuple[int, torch.Tensor], ...]
    before: torch.Tensor
    frozen: tuple[bool, ...]


def before(records: Sequence[Record], params: Sequence[torch.Tensor]) -> list[Sample]:
    """Copy a few elements of each parameter."""
    kinds: dict[tuple[torch.device, torch.dtype], list[tuple[Record, int, torch.Tensor, bool]]] = {}
    for record, param in zip(records, params, strict=True):
        elements = _elements(param)
        if elements is not None:
            taken = (record, param.data_ptr(), elements, not param.requires_grad)
            kinds.setdefault((param.device, param.dtype), []).append(taken)
    samples = []
    for found in kinds.values():
        held, starts, parts, frozen = zip(*found, strict=True)
        samples.append(Sample(held, tuple(zip(starts, parts, strict=True)), torch.cat(parts), frozen))
    return samples


def after(samples: Sequence[Sample], moving: bool) -> None:
    """Compare them with what the step left; `moving`: the learning rate is not 0."""
    for one in samples:
        params = [record.ref() for record in one.records]
        parts = [_now(param, *place) for param, place in zip(params, one.places, strict=True)]
        found = [part for part in parts if part is not None]
        if [part.numel() for part in found] == [part.numel() for _, part in one.places]:
            _compared(one, found, moving)
            if moving and one.before.dtype in HALF_LIKE:
                _lost(one, params, found)


def _now(param: torch.Tensor | None, start: int, part: torch.Tensor) -> torch.Tensor | None:
    """The elements after the step: the same view, where it shows the parameter's own numbers still."""
    if param is None:
        return None
    return part if param.data_ptr() == start and param.is_contiguous() else _elements(param)


def _compared(sample: Sample, parts: Sequence[torch.Tensor], moving: bool) -> None:
    """The size of each update, relative to its weight."""
    old = sample.before.double()
    change = torch.cat(list(parts)).double() - old
    sizes = torch.tensor([part.numel() for part in parts])
    owners = torch.repeat_interleave(sizes).to(old.device)
    squares = torch.stack([change, old]).square_()
    sums = torch.zeros(2, len(parts), dtype=squares.dtype, device=old.device).index_add_(1, owners, squares)
    updates, weights = sums.sqrt_().tolist()
    for record, moved, weight, frozen in zip(sample.records, updates, weights, sample.frozen, strict=True):
        if weight > 0 and moved == moved:
            _keep(record.updates, moved / weight)
        record.moved_frozen += frozen and moved > 0 and moving


def _lost(sample: Sample, params: Sequence[torch.Tensor | None], parts: Sequence[torch.Tensor]) -> None:
    """The share of elements with a gradient that did not change."""
    sizes = [part.numel() for part in parts]
    for record, param, old, now in zip(sample.records, params, torch.split(sample.before, sizes), parts, strict=True):
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
    if values is None or not values.is_floating_point() or not (size := values.numel()):
        return None
    if not values.is_contiguous():
        values = values.reshape(-1) if size <= 65_536 else values[:1].reshape(-1)
        size = values.numel()
    gap = max(1, size // ELEMENTS)
    return values.as_strided((-(-size // gap),), (gap,))
