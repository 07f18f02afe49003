"""Whole Jacobians and Hessians through the Python API, notes included, against the best of `torch.func`.

The baseline is the fastest way that `torch.func` has, found by a first round of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import gradcli
from benchmarks.race import Row, race

BOUND = 1.2
ROUNDS = 21
TRIES = 3


@dataclass(frozen=True, slots=True)
class Case:
    """A function as text and by hand, the input to differentiate by, and the tensors that are held fixed."""

    name: str
    expression: str
    by_hand: Callable[..., Any]
    at: Any
    const: dict[str, Any]
    second: bool = False


def cases() -> tuple[Case, ...]:
    import torch

    generator = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> Any:
        return torch.randn(*shape, generator=generator) / (shape[0] ** 0.5 if len(shape) > 1 else 1.0)

    W, M, v = draw(64, 64), draw(256, 256), draw(10_000)
    small, long, wide = draw(64), draw(256), draw(10_000)
    a = torch.tensor(0.5)

    def dense(x: Any) -> Any:
        return torch.tanh(W @ x)

    def deep(x: Any) -> Any:
        return torch.softmax(W @ torch.tanh(W @ x), 0)

    def rosenbrock(x: Any) -> Any:
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    def layer(x: Any) -> Any:
        return (torch.tanh(M @ x) ** 2).sum()

    return (
        Case("jacobian 64 to 64", "tanh(W @ x)", dense, small, {"W": W}),
        Case("jacobian 64 to 64, two layers", "softmax(W @ tanh(W @ x), 0)", deep, small, {"W": W}),
        Case("jacobian 1 to 10,000", "sin(a*v)*exp(-a*a)", lambda a: torch.sin(a * v) * torch.exp(-a * a), a, {"v": v}),
        Case("jacobian 10,000 to 1", "(sin(x)*x).sum()", lambda x: (torch.sin(x) * x).sum(), wide, {}),
        Case("hessian of 256, rosenbrock", "(100*(x[1:]-x[:-1]**2)**2+(1-x[:-1])**2).sum()", rosenbrock, long, {}, True),
        Case("hessian of 256, layer", "(tanh(M @ x)**2).sum()", layer, long, {"M": M}, True),
        Case("hessian of 256, logsumexp", "logsumexp(M @ x, 0)", lambda x: torch.logsumexp(M @ x, 0), long, {"M": M}, True),
    )


def rows(rounds: int | None) -> Iterator[Row]:
    for case in cases():
        name, baseline = fastest(case)
        yield Row(case.name, name, race(_gradcli(case), baseline, rounds or ROUNDS), BOUND)


def fastest(case: Case) -> tuple[str, Callable[[], object]]:
    """The name and the call of the quickest of torch.func's ways."""
    from torch.func import hessian, jacfwd, jacrev

    f = case.by_hand
    ways = {"torch.func.jacrev": jacrev(f), "torch.func.jacfwd": jacfwd(f)}
    if case.second:
        ways = {"torch.func.hessian": hessian(f), "jacrev(jacrev)": jacrev(jacrev(f))}
    calls = {name: (lambda way=way: way(case.at)) for name, way in ways.items()}
    times = {name: min(_seconds(call) for _ in range(TRIES)) for name, call in calls.items()}
    best = min(times, key=times.__getitem__)
    return best, calls[best]


def _seconds(call: Callable[[], object]) -> float:
    begin = perf_counter()
    call()
    return perf_counter() - begin


def _gradcli(case: Case) -> Callable[[], object]:
    ask: Callable[..., object] = gradcli.hessian if case.second else gradcli.jacobian
    name = "a" if case.at.dim() == 0 else "x"
    return lambda: ask(case.expression, at={name: case.at}, const=case.const)
