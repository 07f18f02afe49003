"""Many inputs: what one of 500 costs beside one of 50, and the whole beside torch by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import gradcli
from benchmarks.race import Row, race

BOUND = 1.2  # linear
BY_HAND = 3.0
FEW, MANY = 50, 500
ROUNDS = 15


def rows(rounds: int | None) -> Iterator[Row]:
    pairs = race(_answer(MANY), _answer(FEW), rounds or ROUNDS, seconds=0.2)
    per_input = tuple((ours / MANY, baseline / FEW) for ours, baseline in pairs)
    yield Row(f"one of {MANY} inputs", f"one of {FEW} inputs", per_input, BOUND)
    pairs = race(_answer(MANY), _by_hand(MANY), rounds or ROUNDS, seconds=0.2)
    yield Row(f"{MANY} inputs", "torch by hand", pairs, BY_HAND)


def _values(count: int) -> dict[str, float]:
    return {f"x{index}": float(index) for index in range(count)}


def _answer(count: int) -> Callable[[], object]:
    values = _values(count)
    text = " + ".join(f"{name}**2" for name in values)
    return lambda: gradcli.grad(text, at=values)


def _by_hand(count: int) -> Callable[[], object]:
    import torch

    values = _values(count)

    def loop() -> object:
        leaves = [torch.tensor(number, requires_grad=True) for number in values.values()]
        total = leaves[0] ** 2
        for leaf in leaves[1:]:
            total = total + leaf**2
        total.backward()
        return total.detach(), [(leaf.detach(), leaf.grad) for leaf in leaves]

    return loop
