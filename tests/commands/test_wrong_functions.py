"""`check` catches derivatives that are wrong on purpose, names what broke, and lets their right twins pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.autograd.function import once_differentiable

import gradcli

Tensor = torch.Tensor


def function(forward: Callable[..., Any], backward: Callable[..., Any], name: str) -> Any:
    """A custom Function from two plain ones: forward(*inputs), backward(grad, *inputs)."""

    def run(ctx: Any, *inputs: Tensor) -> Any:
        ctx.save_for_backward(*inputs)
        return forward(*inputs)

    def back(ctx: Any, grad: Tensor) -> Any:
        return backward(grad, *ctx.saved_tensors)

    names = ["x", "w"][: forward.__code__.co_argcount]
    # `check` reads the names of the inputs from forward's own signature.
    scope: dict[str, Any] = {"run": run}
    exec(f"def forward(ctx, {', '.join(names)}): return run(ctx, {', '.join(names)})", scope)
    return type(
        name, (torch.autograd.Function,), {"forward": staticmethod(scope["forward"]), "backward": staticmethod(back)}
    )


def spoiled_at_one(grad: Tensor, x: Tensor) -> Tensor:
    slope = 3 * x**2 * grad
    slope[1] = slope[1] * 1.01
    return slope


ONE = {"x": [0.7, -1.3, 2.1]}
TWO = {"x": [0.7, -1.3, 2.1], "w": [1.5, 0.4, -0.9]}
MATRIX = {"x": [[0.7, -1.3], [2.1, 0.2]], "w": [[1.5, 0.4], [-0.9, 0.8]]}

RIGHT: dict[str, tuple[Callable[..., Any], Callable[..., Any], dict[str, Any]]] = {
    "cube": (lambda x: x**3, lambda g, x: 3 * x**2 * g, ONE),
    "product": (lambda x, w: x * w, lambda g, x, w: (g * w, g * x), TWO),
    "quotient": (lambda x, w: x / w, lambda g, x, w: (g / w, -g * x / w**2), TWO),
    "matmul": (lambda x, w: x @ w, lambda g, x, w: (g @ w.T, x.T @ g), MATRIX),
    "exp": (lambda x: x.exp(), lambda g, x: g * x.exp(), ONE),
    "sum": (lambda x: x.sum(), lambda g, x: g.expand_as(x), ONE),
    "broadcast": (
        lambda x, w: x * w,
        lambda g, x, w: (g * w, (g * x).sum(0)),
        {"x": [[1.0, 2.0], [3.0, 4.0]], "w": [0.5, 2.0]},
    ),
}

WRONG: dict[str, tuple[Callable[..., Any], Callable[..., Any], dict[str, Any]]] = {
    "sign": (lambda x: x**3, lambda g, x: -3 * x**2 * g, ONE),
    "factor": (lambda x: x**3, lambda g, x: 2 * x**2 * g, ONE),
    "small factor": (lambda x: x**3, lambda g, x: 3.0001 * x**2 * g, ONE),
    "power": (lambda x: x**3, lambda g, x: 3 * x * g, ONE),
    "missing term": (lambda x: x**3 + x, lambda g, x: 3 * x**2 * g, ONE),
    "forgotten upstream": (lambda x: (x**2).sum() * 3, lambda g, x: 2 * x, ONE),
    "one element": (lambda x: x**3, spoiled_at_one, ONE),
    "constant": (lambda x: x.sin(), lambda g, x: g, ONE),
    "zero": (lambda x: x.sin(), lambda g, x: torch.zeros_like(g), ONE),
    "shifted": (lambda x: x.sin(), lambda g, x: g * (x + 0.01).cos(), ONE),
    "reversed": (lambda x: x**2, lambda g, x: (2 * x * g).flip(0), ONE),
    "transposed": (lambda x, w: x @ w, lambda g, x, w: (g @ w, x.T @ g), MATRIX),
    "transposed result": (lambda x, w: x @ w, lambda g, x, w: ((g @ w.T).T, x.T @ g), MATRIX),
    "swapped inputs": (lambda x, w: x * w, lambda g, x, w: (g * x, g * w), TWO),
    "detached part": (lambda x: x * x.sin(), lambda g, x: g * x.sin(), ONE),
    "wrong second input": (lambda x, w: x / w, lambda g, x, w: (g / w, g * x / w**2), TWO),
    "mean for sum": (lambda x: x.sum(), lambda g, x: g.expand_as(x) / x.numel(), ONE),
    "rounded": (lambda x: x**2, lambda g, x: (2 * x).round() * g, ONE),
    "absolute": (lambda x: x**3, lambda g, x: 3 * x.abs() ** 3 * g, ONE),
    "permuted outputs": (lambda x: x.cumsum(0), lambda g, x: g.cumsum(0), ONE),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_functions_pass(name: str) -> None:
    forward, backward, at = RIGHT[name]
    found = gradcli.check(function(forward, backward, name), at=at)
    assert found.passed is True, found.verdict


@pytest.mark.parametrize("name", WRONG)
def test_wrong_functions_are_caught(name: str) -> None:
    forward, backward, at = WRONG[name]
    found = gradcli.check(function(forward, backward, name), at=at)
    assert found.passed is False, found.verdict


class Intermediate(torch.autograd.Function):
    """Right in first order; the saved intermediate hides the second."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.result = x.exp().detach()
        return x.exp()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:  # type: ignore[override]
        return grad * ctx.result


class Once(Intermediate):
    """No second derivative at all."""

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:  # type: ignore[override]
        return grad * ctx.result


@pytest.mark.parametrize("wrong", [Intermediate, Once])
def test_a_second_derivative_that_is_off_is_caught_only_where_it_is_asked_for(wrong: Any) -> None:
    assert gradcli.check(wrong, at={"x": [0.7, -1.3]}).passed is True
    found = gradcli.check(wrong, at={"x": [0.7, -1.3]}, second_order=True)
    assert found.passed is False
    assert {"G206", "G209"} & {note.code for note in found.notes}
    assert "second" in found.verdict


PROTOCOL = {
    "too many": (lambda x: x**3, lambda g, x: (g, g), ONE),
    "wrong shape": (lambda x: x**3, lambda g, x: torch.ones(5, dtype=g.dtype), ONE),
    "nothing": (lambda x: x**3, lambda g, x: None, ONE),
}


@pytest.mark.parametrize("name", PROTOCOL)
def test_a_broken_protocol_is_named(name: str) -> None:
    forward, backward, at = PROTOCOL[name]
    found = gradcli.check(function(forward, backward, name), at=at)
    assert found.passed is False
    assert "G209" in {note.code for note in found.notes}, found.verdict


def test_a_function_that_is_not_deterministic_is_named() -> None:
    found = gradcli.check(lambda x: x * torch.rand(()), at={"x": 1.0})
    assert found.passed is False
    assert "not deterministic" in found.verdict
