"""Reductions, products and softmaxes with fifty digits: one row a name, on arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath as mp
import torch

from gradcli.engine.checking.arrays import Array, grouped, mapped

Given = dict[str, Any]
Whole = Callable[[Given], Array]


def _dims(given: Given) -> Sequence[int] | None:
    dim = given.get("dim")
    return None if dim is None or dim == () else (dim,) if isinstance(dim, int) else tuple(dim)


def _reduction(function: Callable[[list[Any], Given], Any]) -> Whole:
    def reduce(given: Given) -> Array:
        shape, groups = grouped(given["input"], _dims(given), bool(given.get("keepdim", False)))
        return Array(shape, [function(group, given) for group in groups])

    return reduce


def _along(function: Callable[[list[Any]], list[Any]]) -> Whole:
    """A function of each line along `dim` that keeps its length."""

    def apply(given: Given) -> Array:
        operand, dim = given["input"], given.get("dim")
        if not operand.shape:
            return Array((), function(operand.items))
        axis = (dim if isinstance(dim, int) else 0) % len(operand.shape)
        places = operand.places().movedim(axis, -1)
        rows = places.reshape(-1, operand.shape[axis]).tolist()
        made = [value for row in rows for value in function([operand.items[index] for index in row])]
        moved = torch.arange(len(made)).reshape(places.shape).movedim(-1, axis)
        return Array(tuple(places.shape), made).at(moved)

    return apply


def _mean(values: list[Any], _: Given) -> Any:
    return mp.fsum(values) / len(values)


def _variance(values: list[Any], given: Given) -> Any:
    correction = given.get("correction", 1)
    if "unbiased" in given:
        correction = int(given["unbiased"])
    middle = mp.fsum(values) / len(values)
    return mp.fsum((value - middle) ** 2 for value in values) / (
        len(values) - (1 if correction is None else correction)
    )


def _norm(values: list[Any], given: Given) -> Any:
    p = next((given[name] for name in ("p", "ord") if given.get(name) is not None), 2)
    if p in ("fro", 2, 2.0):
        return mp.sqrt(mp.fsum(value * value for value in values))
    if p == float("inf"):
        return max(map(abs, values))
    if p == -float("inf"):
        return min(map(abs, values))
    if p == 0:
        return mp.mpf(sum(value != 0 for value in values))
    return mp.power(mp.fsum(mp.power(abs(value), p) for value in values), mp.mpf(1) / p)


def _logsumexp(values: list[Any], _: Given | None = None) -> Any:
    most = max(values)
    return most + mp.log(mp.fsum(mp.exp(value - most) for value in values))


def _softmax(values: list[Any]) -> list[Any]:
    total = _logsumexp(values)
    return [mp.exp(value - total) for value in values]


def _log_softmax(values: list[Any]) -> list[Any]:
    total = _logsumexp(values)
    return [value - total for value in values]


def _running(join: Callable[[Any, Any], Any]) -> Callable[[list[Any]], list[Any]]:
    def scan(values: list[Any]) -> list[Any]:
        made = values[:1]
        for value in values[1:]:
            made.append(join(made[-1], value))
        return made

    return scan


def _product(values: list[Any], _: Given) -> Any:
    return mp.fprod(values)


def _matmul(given: Given) -> Array:
    left, right = (given[name] for name in _pair(given))
    a, b = left.places(), right.places()
    a2 = a.unsqueeze(0) if a.dim() == 1 else a
    b2 = b.unsqueeze(-1) if b.dim() == 1 else b
    rows, columns = torch.broadcast_tensors(a2.unsqueeze(-2), b2.transpose(-1, -2).unsqueeze(-3))
    shape = list(rows.shape[:-1])
    if b.dim() == 1:
        shape.pop(-1)
    if a.dim() == 1:
        shape.pop(-1 if b.dim() == 1 else -2)
    width = rows.shape[-1]
    pairs = zip(rows.reshape(-1, width).tolist(), columns.reshape(-1, width).tolist(), strict=True)
    return Array(tuple(shape), [mp.fdot([left.items[i] for i in x], [right.items[j] for j in y]) for x, y in pairs])


def _pair(given: Given) -> tuple[str, str]:
    names = [name for name, value in given.items() if isinstance(value, Array)]
    return names[0], names[1]


def _outer(given: Given) -> Array:
    left, right = (given[name] for name in _pair(given))
    shape = (*left.shape, *right.shape)
    return Array(shape, [x * y for x in left.items for y in right.items])


def _reduced_loss(function: Callable[[Any, Any], Any]) -> Whole:
    def loss(given: Given) -> Array:
        left, right = (given[name] for name in _pair(given))
        each = mapped(function, left, right)
        reduction = given.get("reduction", "mean")
        if reduction == "none":
            return each
        total = mp.fsum(each.items)
        return Array((), [total / len(each.items) if reduction == "mean" else total])

    return loss


def _cross(given: Given) -> Array:
    """Binary cross entropy of logits."""
    return _reduced_loss(lambda x, y: max(x, mp.mpf(0)) - x * y + mp.log1p(mp.exp(-abs(x))))(given)


_sum = _reduction(lambda values, _: mp.fsum(values))
_norms = _reduction(_norm)

TABLE: dict[str, Whole] = {
    "sum": _sum, "mean": _reduction(_mean), "prod": _reduction(_product), "var": _reduction(_variance),
    "std": _reduction(lambda values, given: mp.sqrt(_variance(values, given))), "norm": _norms,
    "linalg.vector_norm": _norms, "vector_norm": _norms, "logsumexp": _reduction(_logsumexp),
    "amax": _reduction(lambda values, _: max(values)), "amin": _reduction(lambda values, _: min(values)),
    "softmax": _along(_softmax), "log_softmax": _along(_log_softmax),
    "cumsum": _along(_running(lambda a, b: a + b)), "cumprod": _along(_running(lambda a, b: a * b)),
    "logcumsumexp": _along(_running(lambda a, b: _logsumexp([a, b]))),
    "@": _matmul, "matmul": _matmul, "mm": _matmul, "mv": _matmul, "dot": _matmul, "bmm": _matmul, "outer": _outer,
    "mse_loss": _reduced_loss(lambda x, y: (x - y) ** 2), "l1_loss": _reduced_loss(lambda x, y: abs(x - y)),
    "binary_cross_entropy_with_logits": _cross,
}  # fmt: skip
