"""Large tensors written whole: JSON and CSV beside Python's own way from a tensor to JSON. For information."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import gradcli
from benchmarks.race import Row, race
from gradcli import render

SIZE = 200_000
ROUNDS = 3


def rows(rounds: int | None) -> Iterator[Row]:
    import torch

    for dtype in (torch.float32, torch.float64):
        values = torch.randn(SIZE, generator=torch.Generator().manual_seed(0), dtype=dtype)
        result = gradcli.evaluate("A*5", at=values)
        name = str(dtype).removeprefix("torch.")
        for form in ("json", "csv"):
            pairs = race(_written(form, result), lambda: _by_hand(result), rounds or ROUNDS, seconds=0)  # noqa: B023
            yield Row(f"{form} of two tensors, {SIZE:,} {name}", "json.dumps(tensor.tolist())", pairs)


def _written(form: str, result: object) -> Callable[[], object]:
    return lambda: sum(len(piece) for piece in render.pieces(form, result, render.Style()))


def _by_hand(result: gradcli.results.Answer) -> int:  # type: ignore[name-defined]
    views = (*result.inputs.values(), result.output)
    return sum(len(json.dumps(view.value.tolist())) for view in views)
