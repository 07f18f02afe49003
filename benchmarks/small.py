"""Small expressions through the Python API, notes included, against the same in torch, written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gradcli
from benchmarks.race import Row, race

BOUND = 3.0
ROUNDS = 41

Numbers = float | list[float]


@dataclass(frozen=True, slots=True)
class Case:
    """An expression, its values, and the function that a user would write instead."""

    expression: str
    at: dict[str, Numbers]
    by_hand: Callable[..., Any]
    backward: bool = True
    mode: str = "grad"


def cases() -> tuple[Case, ...]:
    import torch
    from torch.nn.functional import softplus

    vector: list[float] = [0.5, 1.0, 2.0]
    return (
        Case("A*5", {"A": 5.0}, lambda A: A * 5),
        Case("A*B+A", {"A": 2.0, "B": 3.0}, lambda A, B: A * B + A),
        Case("sin(A)*exp(-A**2)", {"A": 0.5}, lambda A: torch.sin(A) * torch.exp(-(A**2))),
        Case("A**2", {"A": vector}, lambda A: A**2),
        Case("sum(sin(A)*A+exp(A))", {"A": vector}, lambda A: (torch.sin(A) * A + torch.exp(A)).sum()),
        Case("softplus(W@x)", {"W": vector, "x": vector}, lambda W, x: softplus(W @ x)),
        Case("A.softmax(0).log()", {"A": vector}, lambda A: A.softmax(0).log()),
        Case("A**2+16", {"A": 5.0}, lambda A: A**2 + 16, backward=False),
        Case("A**2+16", {"A": 5.0}, lambda A: A**2 + 16, backward=False, mode="no_grad"),
    )


def rows(rounds: int | None) -> Iterator[Row]:
    count = rounds or ROUNDS
    found = cases()
    for case in found:
        name = f"{'grad' if case.backward else 'eval'} {case.expression}"
        name += "" if case.mode == "grad" else f" {case.mode}"
        size = "numbers" if isinstance(next(iter(case.at.values())), float) else "vectors of 3"
        yield Row(f"API {name}, {size}", "torch by hand", race(_gradcli(case), _by_hand(case), count), BOUND)
    yield Row("control: A*5 by hand", "itself", race(_by_hand(found[0]), _by_hand(found[0]), count))


def _gradcli(case: Case) -> Callable[[], object]:
    ask = gradcli.grad if case.backward else gradcli.evaluate
    return lambda: ask(case.expression, at=case.at, mode=case.mode)


def _by_hand(case: Case) -> Callable[[], object]:
    """Make the leaves, compute, go back, and take what gradcli answers too: values, gradients, flags, grad_fn."""

    def loop() -> object:
        output, leaves = computed(case, case.at)
        return output.detach(), output.requires_grad, output.grad_fn, [(one.detach(), one.grad) for one in leaves]

    return loop


def computed(case: Case, at: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The output and the leaves, as anyone would write it."""
    import torch

    leaves = [torch.tensor(numbers, requires_grad=True) for numbers in at.values()]
    if case.mode == "no_grad":
        with torch.no_grad():
            output = case.by_hand(*leaves)
    else:
        output = case.by_hand(*leaves)
    if case.backward:
        (output if output.dim() == 0 else output.sum()).backward()
    return output, leaves
