"""Whole Jacobians and Hessians through the Python API, notes included, against the best of `torch.func`.

The baseline is the quickest of the ways that `torch.func` has for the shapes, found by trying each first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import gradcli
from benchmarks.race import Row, race

BOUND = 1.2
ROUNDS = 31
TRIES = 3

Function = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A function as text and by hand, its input, the tensors that are held fixed, and torch.func's ways for it."""

    name: str
    expression: str
    by_hand: Function
    at: dict[str, Any]
    const: dict[str, Any]
    ways: tuple[str, ...]


def cases() -> tuple[Case, ...]:
    import torch

    generator = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> Any:
        return torch.randn(*shape, generator=generator) / (shape[0] ** 0.5 if len(shape) > 1 else 1.0)

    W, M, v = draw(64, 64), draw(256, 256), draw(10_000)
    few, many, number = {"x": draw(64)}, {"x": draw(256)}, {"a": torch.tensor(0.5)}
    dense, second = ("jacrev", "jacfwd"), ("hessian", "jacrev of jacrev")
    rosenbrock = "(100*(x[1:]-x[:-1]**2)**2+(1-x[:-1])**2).sum()"
    return (
        Case("64 to 64", "tanh(W @ x)", lambda x: torch.tanh(W @ x), few, {"W": W}, dense),
        Case(
            "64 to 64, two layers", "softmax(W @ tanh(W @ x), 0)", lambda x: torch.softmax(W @ torch.tanh(W @ x), 0),
            few, {"W": W}, dense,
        ),
        Case(
            "1 to 10,000", "sin(a*v)*exp(-a*a)", lambda a: torch.sin(a * v) * torch.exp(-a * a), number, {"v": v},
            ("jacfwd",),
        ),
        Case(
            "10,000 to 1", "(sin(x)*x).sum()", lambda x: (torch.sin(x) * x).sum(), {"x": draw(10_000)}, {}, ("jacrev",)
        ),
        Case(
            "256, rosenbrock", rosenbrock,
            lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(), many, {}, second,
        ),
        Case(
            "256, a layer", "(tanh(M @ x)**2).sum()", lambda x: (torch.tanh(M @ x) ** 2).sum(), many, {"M": M}, second
        ),
        Case("256, logsumexp", "logsumexp(M @ x, 0)", lambda x: torch.logsumexp(M @ x, 0), many, {"M": M}, second),
    )  # fmt: skip


def rows(rounds: int | None) -> Iterator[Row]:
    for case in cases():
        way, baseline = fastest(case)
        what = "hessian" if "hessian" in case.ways else "jacobian"
        yield Row(f"{what} {case.name}", f"torch.func.{way}", race(_gradcli(case), baseline, rounds or ROUNDS), BOUND)


def fastest(case: Case) -> tuple[str, Callable[[], object]]:
    """The name and the call of the quickest of torch.func's ways."""
    from torch.func import hessian, jacfwd, jacrev

    ways: dict[str, Callable[[Function], Function]] = {
        "jacrev": jacrev, "jacfwd": jacfwd, "hessian": hessian, "jacrev of jacrev": lambda f: jacrev(jacrev(f)),
    }  # fmt: skip
    (value,) = case.at.values()
    calls = {name: _call(ways[name](case.by_hand), value) for name in case.ways}
    times = {name: min(_seconds(call) for _ in range(TRIES)) for name, call in calls.items()}
    best = min(times, key=times.__getitem__)
    return best, calls[best]


def _call(derivative: Function, value: Any) -> Callable[[], object]:
    return lambda: derivative(value)


def _seconds(call: Callable[[], object]) -> float:
    begin = perf_counter()
    call()
    return perf_counter() - begin


def _gradcli(case: Case) -> Callable[[], object]:
    ask: Callable[..., object] = gradcli.hessian if "hessian" in case.ways else gradcli.jacobian
    return lambda: ask(case.expression, at=case.at, const=case.const)
