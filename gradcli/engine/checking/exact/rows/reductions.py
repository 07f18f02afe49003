"""Sums, products, spreads, norms, extremes and running totals, written as formulas over arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp

from gradcli.engine.checking.exact.array import Array, array, each, total
from gradcli.engine.checking.exact.number import Number, Unknown

Line = list[Number]


def product(line: Line) -> Number:
    """The product of numbers; the slope by each is the product of the others."""
    before, after = [mp.mpf(1)], [mp.mpf(1)]
    for one in line:
        before.append(before[-1] * one.value)
    for one in reversed(line):
        after.append(after[-1] * one.value)
    sources = [(one, before[k] * after[len(line) - 1 - k]) for k, one in enumerate(line)]
    return Number(before[-1], sources)


def variance(
    input: Array, dim: Any = None, unbiased: Any = True, correction: Any = None, keepdim: Any = False
) -> Array:
    """The variance along some dimensions, of n - 1 degrees of freedom where no correction is given."""
    lines = input.lines(dim)
    less = correction if correction is not None else int(bool(unbiased))
    away = input - input.mean(dim, keepdim=True) if input.shape else input - input
    return (away * away).sum(dim, keepdim) / (len(lines[0]) - less)


def sqrt(input: Array) -> Array:
    return each(mp.sqrt, input)


def _standard_deviation(input: Array, **given: Any) -> Array:
    return sqrt(variance(input, **given))


def extreme(most: bool) -> Callable[[Line], Number]:
    """The largest (or the smallest) number of a line."""
    return lambda line: _picked((max if most else min)(line, key=lambda one: one.value), line)


def _picked(best: Number, line: Line) -> Number:
    """A number that was picked from a line by its size; where several have that size, it is a kink."""
    ties = [one for one in line if one.value == best.value]
    return best if len(ties) == 1 else Number(best.value, [(one, None) for one in ties])


def _extremes(most: bool) -> Callable[..., Any]:
    def extremes(input: Array, dim: Any = None, keepdim: Any = False, other: Any = None) -> Any:
        if other is not None:
            return each(max if most else min, input, other)
        found = input.reduced(extreme(most), dim, keepdim)
        return found if dim is None or not isinstance(dim, int) else {"values": found, "indices": None}

    return extremes


def _outermost(most: bool) -> Callable[..., Array]:
    return lambda input, dim=None, keepdim=False: input.reduced(extreme(most), dim if dim != () else None, keepdim)


def _median(input: Array, dim: Any = None, keepdim: Any = False) -> Any:
    def middle(line: Line) -> Number:
        return _picked(sorted(line, key=lambda one: one.value)[(len(line) - 1) // 2], line)

    found = input.reduced(middle, dim, keepdim)
    return found if dim is None else {"values": found, "indices": None}


def log_sum_exp(line: Line) -> Number:
    """log Σ exp; the slope by each is its share."""
    most = max(one.value for one in line)
    if mp.isinf(most):
        return Number(most, [(one, None) for one in line])
    parts = [mp.exp(one.value - most) for one in line]
    whole = mp.fsum(parts)
    return Number(most + mp.log(whole), [(one, part / whole) for one, part in zip(line, parts, strict=True)])


def running(join: Callable[[Number, Number], Number]) -> Callable[..., Array]:
    """A row for totals that grow along a dimension."""

    def scan(line: Line) -> Line:
        made = line[:1]
        for one in line[1:]:
            made.append(join(made[-1], one))
        return made

    return lambda input, dim: input.along(scan, dim)


def _difference(input: Array, n: Any = 1, dim: Any = -1, prepend: Any = None, append: Any = None) -> Array:
    if prepend is not None or append is not None:
        raise Unknown
    for _ in range(n):
        size = input.shape[dim]
        later = input.moved(lambda places, size=size: places.narrow(dim, 1, size - 1))
        input = later - input.moved(lambda places, size=size: places.narrow(dim, 0, size - 1))
    return input


def _covariance(input: Array, correction: Any = 1, fweights: Any = None, aweights: Any = None) -> Array:
    if fweights is not None or aweights is not None:
        raise Unknown
    rows = input if len(input.shape) == 2 else input.moved(lambda places: places.reshape(1, -1))
    away = rows - rows.mean(1, keepdim=True)
    pairs = away.moved(lambda places: places.unsqueeze(1)) * away.moved(lambda places: places.unsqueeze(0))
    found = pairs.sum(2) / (rows.shape[1] - correction)
    return found if len(input.shape) == 2 else found.moved(lambda places: places.reshape(()))


def _correlation(input: Array) -> Array:
    found = _covariance(input)
    if not found.shape:
        return found / found
    scale = sqrt(found.moved(lambda places: places.diagonal()))
    across, down = scale.moved(lambda places: places.unsqueeze(0)), scale.moved(lambda places: places.unsqueeze(1))
    return found / across / down


def _trapezoid(y: Array, x: Any = None, dx: Any = 1, dim: Any = -1) -> Array:
    return _panels(y, x, dx, dim).sum(dim)


def _panels(y: Array, x: Any, dx: Any, dim: int) -> Array:
    size = y.shape[dim]
    sides = y.moved(lambda places: places.narrow(dim, 0, size - 1)) + y.moved(
        lambda places: places.narrow(dim, 1, size - 1)
    )
    if x is None:
        return sides * dx / 2
    widths = _difference(array(x), dim=-1 if len(array(x).shape) == 1 else dim)
    if len(widths.shape) == 1:
        shape = [1] * len(y.shape)
        shape[dim] = -1
        widths = widths.moved(lambda places: places.reshape(shape))
    return sides * widths / 2


def _mean(input: Array, dim: Any = None, keepdim: Any = False) -> Array:
    return input.mean(dim, keepdim)


def _sum(input: Array, dim: Any = None, keepdim: Any = False) -> Array:
    return input.sum(dim, keepdim)


ROWS = {
    "sum": _sum, "nansum": _sum, "mean": _mean, "nanmean": _mean,
    "prod": lambda input, dim=None, keepdim=False: input.reduced(product, dim, keepdim),
    "var": variance, "std": _standard_deviation,
    "var_mean": lambda input, dim=None, keepdim=False, **given: (
        variance(input, dim=dim, keepdim=keepdim, **given), input.mean(dim, keepdim)),
    "std_mean": lambda input, dim=None, keepdim=False, **given: (
        _standard_deviation(input, dim=dim, keepdim=keepdim, **given), input.mean(dim, keepdim)),
    "max": _extremes(True), "min": _extremes(False), "amax": _outermost(True), "amin": _outermost(False),
    "median": _median, "nanmedian": _median,
    "logsumexp": lambda input, dim, keepdim=False: input.reduced(log_sum_exp, dim, keepdim),
    "cov": _covariance, "corrcoef": _correlation, "trapezoid": _trapezoid,
    "cumulative_trapezoid": lambda y, x=None, dx=1, dim=-1: ROWS["cumsum"](_panels(y, x, dx, dim), dim),
    "cumsum": running(lambda a, b: total((a, b))), "cumprod": running(lambda a, b: product([a, b])),
    "logcumsumexp": running(lambda a, b: log_sum_exp([a, b])),
    "cummax": lambda input, dim: {"values": running(lambda a, b: extreme(True)([a, b]))(input, dim), "indices": None},
    "cummin": lambda input, dim: {"values": running(lambda a, b: extreme(False)([a, b]))(input, dim), "indices": None},
    "diff": _difference,
}  # fmt: skip
