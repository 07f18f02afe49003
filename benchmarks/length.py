"""Cost in the length of the expression: what one term of a long sum costs beside one of a short sum."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import gradcli
from benchmarks.race import Row, race
from gradcli.language.parser import parse

BOUND = 1.2  # linear, with room for the caches of the machine
SHORT = 100
LENGTHS = (200, 500, 1000, 2000)
ROUNDS = 9


def rows(rounds: int | None) -> Iterator[Row]:
    for length in LENGTHS:
        pairs = race(_answer(length), _answer(SHORT), rounds or ROUNDS, seconds=0.2)
        per_term = tuple((ours / length, baseline / SHORT) for ours, baseline in pairs)
        yield Row(f"one of {length:,} terms, reading included", f"one of {SHORT} terms", per_term, BOUND)
    pairs = race(_answer(LENGTHS[-1]), _by_hand(LENGTHS[-1]), rounds or ROUNDS, seconds=0.2)
    yield Row(f"a sum of {LENGTHS[-1]:,} terms, reading included", "torch by hand", pairs)


def _answer(length: int) -> Callable[[], object]:
    text = " + ".join(["sin(A)*2"] * length)

    def answer() -> object:
        parse.cache_clear()
        return gradcli.grad(text, at=5.0)

    return answer


def _by_hand(length: int) -> Callable[[], object]:
    import torch

    def loop() -> object:
        A = torch.tensor(5.0, requires_grad=True)
        total = torch.sin(A) * 2
        for _ in range(length - 1):
            total = total + torch.sin(A) * 2
        total.backward()
        return total.detach(), A.grad

    return loop
