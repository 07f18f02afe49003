"""What a step did to the weights: a few elements copied before it and compared after it, those of many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from gradcli.training.watching.records import Record
from gradcli.training.watching.statistics import dense

ELEMENTS = 512  # of each parameter
HALF_LIKE = (torch.float16, torch.bfloat16)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """As many elements of each of some parameters, of one dtype, before a step; which did not require grad then.

    `places` are views of the parameters, and where each had its numbers.
    """

    records: tuple[Record, ...]
    places: tuple[tuple[int, torch.Tensor], ...]
    before: torch.Tensor
    frozen: tuple[bool, ...]


def before(records: Sequence[Record], params: Sequence[torch.Tensor]) -> list[Sample]:
    """Copy a few elements of each parameter."""
    kinds: dict[tuple[torch.device, torch.dtype, int], list[tuple[Record, tuple[int, torch.Tensor], bool]]] = {}
    for record, param in zip(records, params, strict=True):
        elements = _elements(param)
        if elements is not None:
            taken = (record, (param.data_ptr(), elements), not param.requires_grad)
            kinds.setdefault((param.device, param.dtype, len(elements)), []).append(taken)
    samples = []
    for found in kinds.values():
        held, places, frozen = zip(*found, strict=True)
        samples.append(Sample(held, places, torch.stack([part for _, part in places]), frozen))
    return samples


def after(samples: Sequence[Sample], moving: bool) -> None:
    """Compare them with what the step left; `moving`: the learning rate is not 0."""
    compared: dict[torch.device, list[tuple[Sample, torch.Tensor]]] = {}
    for one in samples:
        params = [record.ref() for record in one.records]
        parts = [_now(param, *place) for param, place in zip(params, one.places, strict=True)]
        found = [part for part in parts if part is not None and len(part) == one.before.shape[1]]
        if len(found) == len(parts):
            now = torch.stack(found)
            compared.setdefault(now.device, []).append((one, _sizes(one.before.double(), now.double())))
            if moving and one.before.dtype in HALF_LIKE:
                _lost(one, params, now)
    for rows in compared.values():
        moved, weights = torch.cat([sizes for _, sizes in rows], 1).tolist()
        records = [(record, frozen) for one, _ in rows for record, frozen in zip(one.records, one.frozen, strict=True)]
        for (record, frozen), change, weight in zip(records, moved, weights, strict=True):
            if weight > 0 and change == change:
                _keep(record.updates, change / weight)
            record.moved_frozen += frozen and change > 0 and moving


def _now(param: torch.Tensor | None, start: int, part: torch.Tensor) -> torch.Tensor | None:
    """The elements after the step: the same view, where it shows the parameter's own numbers still."""
    if param is None:
        return None
    return part if param.data_ptr() == start and param.is_contiguous() else _elements(param)


def _sizes(before: torch.Tensor, now: torch.Tensor) -> torch.Tensor:
    """The sizes of each update, and of the weights that it changed."""
    return torch.stack([torch.linalg.vector_norm(now - before, dim=1), torch.linalg.vector_norm(before, dim=1)])


def _lost(sample: Sample, params: Sequence[torch.Tensor | None], parts: torch.Tensor) -> None:
    """The share of elements with a gradient that did not change."""
    for record, param, old, now in zip(sample.records, params, sample.before, parts, strict=True):
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
    """Up to 512 elements from all over a tensor, as a flat view of it where it can be one."""
    values = dense(tensor)
    if values is None or not values.is_floating_point() or not (size := values.numel()):
        return None
    if not values.is_contiguous():
        values = values.reshape(-1) if size <= 65_536 else values[:1].reshape(-1)
        size = values.numel()
    return values.as_strided((min(size, ELEMENTS),), (max(1, size // ELEMENTS),))
