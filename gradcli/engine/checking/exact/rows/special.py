"""Special functions and activations of each element."""

from __future__ import annotations

from typing import Any

import mpmath as mp

from gradcli.engine.checking.exact.rows.elementary import ZERO, sigmoid


def softplus(input: Any, beta: Any = 1.0, threshold: Any = 20.0) -> Any:
    return input if beta * input > threshold else mp.log1p(mp.exp(beta * input)) / beta


def ndtr(x: Any) -> Any:
    """The standard normal distribution function."""
    return mp.erfc(-x / mp.sqrt(2)) / 2


def _log_ndtr(x: Any) -> Any:
    return mp.log1p(-ndtr(-x)) if x > 0 else mp.log(ndtr(x))


def _ndtri(p: Any) -> Any:
    """The quantile of p; 2p - 1 needs as many further digits as a small p has zeros."""
    with mp.workdps(mp.mp.dps + max(0, -int(mp.log10(p)))):
        return +(mp.sqrt(2) * mp.erfinv(2 * p - 1))


def _log_gamma(x: Any) -> Any:
    return mp.re(mp.loggamma(x))


def _mvlgamma(input: Any, p: Any) -> Any:
    count = int(p)
    return count * (count - 1) * mp.log(mp.pi) / 4 + sum(_log_gamma(input - mp.mpf(j) / 2) for j in range(count))


def _bessel(order: int, scaled: bool = False) -> Any:
    def function(x: Any) -> Any:
        found = mp.besseli(order, x)
        return found * mp.exp(-abs(x)) if scaled else found

    return function


def _gelu(input: Any, approximate: str = "none") -> Any:
    if approximate == "tanh":
        return input / 2 * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (input + mp.mpf(0.044715) * input**3)))
    return input * ndtr(input)


def _elu(input: Any, alpha: Any = 1.0) -> Any:
    return input if input > 0 else alpha * mp.expm1(input)


def _selu(input: Any) -> Any:
    return mp.mpf("1.0507009873554804934193349852946") * _elu(input, mp.mpf("1.6732632423543772848170429916717"))


def _held(input: Any, low: Any, high: Any) -> Any:
    return min(max(input, mp.mpf(low)), mp.mpf(high))


def _rrelu(input: Any, lower: Any = 0.125, upper: Any = 0.3333333333333333, training: bool = False) -> Any:
    if training:
        raise ValueError("it draws random slopes")
    return input if input >= 0 else input * (mp.mpf(lower) + mp.mpf(upper)) / 2


ROWS = {
    "lgamma": _log_gamma, "digamma": mp.digamma, "polygamma": lambda n, input: mp.psi(int(n), input),
    "mvlgamma": _mvlgamma, "zeta": lambda input, other: mp.zeta(input, other),
    "igamma": lambda input, other: mp.gammainc(input, 0, other, regularized=True),
    "igammac": lambda input, other: mp.gammainc(input, other, mp.inf, regularized=True),
    "erf": mp.erf, "erfc": mp.erfc, "erfcx": lambda input: mp.exp(input * input) * mp.erfc(input),
    "erfinv": mp.erfinv, "ndtr": ndtr, "log_ndtr": _log_ndtr, "ndtri": _ndtri,
    "i0": _bessel(0), "i1": _bessel(1), "i0e": _bessel(0, True), "i1e": _bessel(1, True),
    "relu": lambda input: max(input, ZERO), "relu6": lambda input: _held(input, 0, 6),
    "leaky_relu": lambda input, negative_slope=0.01: input if input > 0 else negative_slope * input,
    "elu": _elu, "selu": _selu,
    "celu": lambda input, alpha=1.0: input if input > 0 else alpha * mp.expm1(input / alpha),
    "gelu": _gelu, "silu": lambda input: input * sigmoid(input),
    "mish": lambda input: input * mp.tanh(mp.log1p(mp.exp(input))), "softplus": softplus,
    "softsign": lambda input: input / (1 + abs(input)),
    "softshrink": lambda input, lambd=0.5: input - _held(input, -lambd, lambd),
    "hardshrink": lambda input, lambd=0.5: ZERO if -lambd <= input <= lambd else input,
    "tanhshrink": lambda input: input - mp.tanh(input),
    "hardtanh": lambda input, min_val=-1.0, max_val=1.0: _held(input, min_val, max_val),
    "hardsigmoid": lambda input: _held(input + 3, 0, 6) / 6,
    "hardswish": lambda input: input * _held(input + 3, 0, 6) / 6,
    "threshold": lambda input, threshold, value: input if input > threshold else mp.mpf(value),
    "rrelu": _rrelu, "logsigmoid": lambda input: -softplus(-input, 1, mp.inf),
}  # fmt: skip
