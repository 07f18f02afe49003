"""What looking for notes adds to a healthy answer, from 10,000 elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import gradcli
from benchmarks.race import Row, race

BOUND = 1.3
ROUNDS = 21
SIZES = (10_000, 100_000, 1_000_000)
EXPRESSIONS = ("A*5", "sum(sin(A)*exp(-A**2))", "relu(A).sum()")


def rows(rounds: int | None) -> Iterator[Row]:
    import torch

    for size in SIZES:
        values = torch.randn(size, generator=torch.Generator().manual_seed(0))
        for expression in EXPRESSIONS:
            pairs = race(_answer(expression, values, True), _answer(expression, values, False), rounds or ROUNDS)
            yield Row(f"notes on {expression}, {size:,} elements", "the same with notes=False", pairs, BOUND)


def _answer(expression: str, values: object, notes: bool) -> Callable[[], object]:
    return lambda: gradcli.grad(expression, at=values, notes=notes)
