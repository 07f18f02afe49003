"""What grad, no_grad, inference mode and detached inputs gave, side by side: a row a fact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gradcli.compared import Times, refused_of, results_of
from gradcli.report import Column, Table, is_tensor, label_of
from gradcli.results import TensorView

if TYPE_CHECKING:
    import torch

_SECONDS = (("s", 1.0), ("ms", 1e3), ("µs", 1e6))
_BYTES = (("GB", 2.0**-30), ("MB", 2.0**-20), ("KB", 2.0**-10), ("bytes", 1.0))


@dataclass(frozen=True, eq=False, slots=True)
class ModeColumn:
    """One mode: outputs (none where torch refused), `.grad` of each input and why it is None, the graph, the times.

    `saved` counts bytes that are kept for backward, `beside` those of them that are not memory of the inputs.
    `inference`: whether the output is an inference tensor, which autograd can never use. All are None where torch
    refused the evaluation.
    """

    name: str
    outputs: tuple[TensorView, ...]
    grads: Mapping[str, torch.Tensor | None]
    why: str | None
    refused: str | None
    inference: bool | None
    nodes: int | None
    saved: int | None
    beside: int | None
    forward: Times | None
    backward: Times | None

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        return {
            "name": self.name, **results_of(self.outputs, TensorView.facts), "grads": dict(self.grads),
            "why_none": self.why, "refused": self.refused, "is_inference": self.inference, "graph_nodes": self.nodes,
            "saved_bytes": self.saved, "saved_beside_inputs": self.beside,
            "forward": self.forward.facts() if self.forward else None,
            "backward": self.backward.facts() if self.backward else None,
        }  # fmt: skip


LONG = 6  # elements of a tensor that stands beside others in a narrow table


def tables_of(columns: Sequence[ModeColumn]) -> tuple[Table, ...]:
    """A row for each fact, a column for each mode; large tensors have a table of their own."""
    large = any(cell.numel() > LONG for row in _numbers(columns) for cell in row[1:] if is_tensor(cell))
    parts = (_numbers, _facts) if large else (lambda columns: (*_numbers(columns), *_facts(columns)),)
    heading = (Column("mode"), *(Column(one.name, True) for one in columns))
    return tuple(Table(heading, partial(part, columns), elements=True) for part in parts)


def _numbers(columns: Sequence[ModeColumn]) -> Iterator[tuple[Any, ...]]:
    """The values of the outputs, and the gradients."""
    for before, views in _outputs(columns):
        yield f"{before}value", *("" if one is None else one.value for one in views)
    for name in dict.fromkeys(name for one in columns for name in one.grads):
        yield f"{name}.grad", *(one.grads.get(name) if one.outputs else "" for one in columns)


def _facts(columns: Sequence[ModeColumn]) -> Iterator[tuple[Any, ...]]:
    """What torch recorded, what it kept, and how long it took."""
    if any(one.why for one in columns):
        yield ".grad is None", *(one.why or "" for one in columns)
    if any(one.refused for one in columns):
        yield "refused", *(refused_of(one) for one in columns)
    for before, views in _outputs(columns):
        yield f"{before}requires_grad", *("" if one is None else one.requires_grad for one in views)
        yield f"{before}is_leaf", *("" if one is None else one.is_leaf for one in views)
        yield f"{before}grad_fn", *("" if one is None else one.grad_fn or "none" for one in views)
    yield "is_inference", *("" if one.inference is None else one.inference for one in columns)
    yield "graph nodes", *("" if one.nodes is None else one.nodes for one in columns)
    unit, factor = _unit(max(one.saved or 0 for one in columns), _BYTES)
    for label, amounts in (("kept", [one.saved for one in columns]), ("… new", [one.beside for one in columns])):
        yield f"{label} ({unit})", *("" if one is None else _amount(one, factor) for one in amounts)
    for label, times in (
        ("forward", [one.forward for one in columns]),
        ("backward", [one.backward for one in columns]),
    ):
        if any(times):
            yield from _times(label, times)


def _outputs(columns: Sequence[ModeColumn]) -> Iterator[tuple[str, list[TensorView | None]]]:
    """Each output in all columns, and what stands before its facts where there are several."""
    parts = max(len(one.outputs) for one in columns)
    for index in range(parts):
        views = [one.outputs[index] if index < len(one.outputs) else None for one in columns]
        label = next(label_of(view) for view in views if view is not None)
        yield (f"{label} " if parts > 1 else ""), views


def _times(label: str, times: Sequence[Times | None]) -> Iterator[tuple[Any, ...]]:
    """Medians in one unit, and how far rounds lie from them."""
    unit, factor = _unit(max(one.median for one in times if one is not None), _SECONDS)
    yield f"{label} ({unit})", *("" if one is None else _short(one.median * factor) for one in times)
    yield f"… ± ({unit})", *("" if one is None else _short(one.spread * factor, 2) for one in times)


def _unit(largest: float, units: Sequence[tuple[str, float]]) -> tuple[str, float]:
    """The unit that suits the largest of some amounts, and how many of it one is."""
    return next(((unit, by) for unit, by in units if largest * by >= 1), units[-1])


def _amount(count: int, factor: float) -> str:
    return _short(count * factor) if factor != 1 else str(count)


def _short(value: float, digits: int = 3) -> str:
    """A measured number at some digits, without an exponent."""
    return f"{value:.0f}" if value >= 10 ** (digits - 1) else f"{value:#.{digits}g}".rstrip(".") if value else "0"
