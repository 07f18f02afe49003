"""Sweeps through the Python API against torch by hand: all points in one tensor, one forward and one backward pass.

What does not work element by element is written by hand as a batch of its points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gradcli
from benchmarks.race import Row, race

BOUND, WITH_FINDINGS = 1.5, 4.0
SMALL, LARGE = 10_000, 1_000_000
ROUNDS = {SMALL: 51, LARGE: 11}


@dataclass(frozen=True, slots=True)
class Case:
    """A function of x as text, and by hand for all points at once."""

    name: str
    expression: str
    by_hand: Callable[[Any], Any]


def cases() -> tuple[Case, ...]:
    import torch

    return (
        Case("elementwise", "x**3 - 3*x + sin(x)*exp(-x*x)", lambda x: x**3 - 3 * x + torch.sin(x) * torch.exp(-x * x)),
        Case(
            "not elementwise", "logsumexp(stack([x, 2*x, x*x]), 0)",
            lambda x: torch.logsumexp(torch.stack([x, 2 * x, x * x]), 0),
        ),
    )  # fmt: skip


def rows(rounds: int | None) -> Iterator[Row]:
    for case in cases():
        for count in (SMALL, LARGE):
            for findings, bound in ((False, BOUND), (True, WITH_FINDINGS)):
                what = f"{count:,} points, {case.name}, {'with' if findings else 'without'} findings"
                limit = bound if count == LARGE else None
                pairs = race(_gradcli(case, count, findings), _by_hand(case, count), rounds or ROUNDS[count])
                yield Row(what, "torch by hand", pairs, limit)


def _gradcli(case: Case, count: int, findings: bool) -> Callable[[], object]:
    at = {"x": f"-3:3:{count}"}
    return lambda: gradcli.sweep(case.expression, at=at, notes=findings)


def _by_hand(case: Case, count: int) -> Callable[[], object]:
    import torch

    def by_hand() -> object:
        x = torch.linspace(-3, 3, count, requires_grad=True)
        y = case.by_hand(x)
        y.sum().backward()  # type: ignore[no-untyped-call]
        return x.grad

    return by_hand
