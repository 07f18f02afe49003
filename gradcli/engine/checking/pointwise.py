"""Functions of one element with fifty digits: the table that says whether torch's own are right.

Each row is a name of the vocabulary -> the function of mpmath numbers that it should compute. Defaults of further
parameters are torch's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp

Function = Callable[..., Any]


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def _softplus(x: Any, beta: Any = 1, threshold: Any = 20) -> Any:
    return x if beta * x > threshold else mp.log1p(mp.exp(beta * x)) / beta


def _ndtr(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def _gelu(x: Any, approximate: Any = "none") -> Any:
    if approximate == "tanh":
        return x / 2 * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (x + mp.mpf(0.044715) * x**3)))
    return x * _ndtr(x)


def _elu(x: Any, alpha: Any = 1, scale: Any = 1) -> Any:
    return scale * (x if x > 0 else alpha * mp.expm1(x))


def _selu(x: Any) -> Any:
    return _elu(x, mp.mpf("1.6732632423543772848170429916717"), mp.mpf("1.0507009873554804934193349852946"))


def _celu(x: Any, alpha: Any = 1) -> Any:
    return x if x > 0 else alpha * mp.expm1(x / alpha)


def _logaddexp(x: Any, y: Any) -> Any:
    most = max(x, y)
    return most if mp.isinf(most) else most + mp.log(mp.exp(x - most) + mp.exp(y - most))


def _xlogy(x: Any, y: Any) -> Any:
    return mp.mpf(0) if x == 0 else x * mp.log(y)


def _power(x: Any, y: Any) -> Any:
    if x == 0 and y == 0:
        return mp.mpf(1)
    if x < 0 and y != mp.floor(y):
        return mp.nan
    return mp.power(x, y)


def _sign(x: Any) -> Any:
    return mp.mpf((x > 0) - (x < 0))


def _sinc(x: Any) -> Any:
    return mp.mpf(1) if x == 0 else mp.sin(mp.pi * x) / (mp.pi * x)


def _clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    low = x if min is None or x >= min else min
    return low if max is None or low <= max else max


def _mish(x: Any) -> Any:
    return x * mp.tanh(mp.log1p(mp.exp(x)))


def _scaled(function: Function, of: Function) -> Function:
    return lambda x: function(x) * of(x)


ONE: dict[str, Function] = {
    "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan,
    "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh, "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh,
    "sinc": _sinc, "deg2rad": lambda x: x * mp.pi / 180, "rad2deg": lambda x: x * 180 / mp.pi,
    "exp": mp.exp, "exp2": lambda x: mp.power(2, x), "expm1": mp.expm1,
    "log": mp.log, "log2": lambda x: mp.log(x, 2), "log10": lambda x: mp.log(x, 10), "log1p": mp.log1p,
    "sqrt": mp.sqrt, "rsqrt": lambda x: 1 / mp.sqrt(x), "square": lambda x: x * x, "reciprocal": lambda x: 1 / x,
    "abs": abs, "neg": lambda x: -x, "pos": lambda x: x, "positive": lambda x: x, "sign": _sign, "sgn": _sign,
    "floor": mp.floor, "ceil": mp.ceil, "trunc": lambda x: mp.sign(x) * mp.floor(abs(x)),
    "frac": lambda x: x - mp.sign(x) * mp.floor(abs(x)),
    "sigmoid": _sigmoid, "logsigmoid": lambda x: -mp.log1p(mp.exp(-x)) if x > 0 else x - mp.log1p(mp.exp(x)),
    "silu": lambda x: x * _sigmoid(x), "mish": _mish, "selu": _selu,
    "relu": lambda x: x if x > 0 else mp.mpf(0), "relu6": lambda x: min(max(x, mp.mpf(0)), mp.mpf(6)),
    "softsign": lambda x: x / (1 + abs(x)), "tanhshrink": lambda x: x - mp.tanh(x),
    "hardsigmoid": lambda x: min(max(x + 3, mp.mpf(0)), mp.mpf(6)) / 6,
    "hardswish": lambda x: x * min(max(x + 3, mp.mpf(0)), mp.mpf(6)) / 6,
    "erf": mp.erf, "erfc": mp.erfc, "erfinv": mp.erfinv, "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x),
    "lgamma": lambda x: mp.log(abs(mp.gamma(x))), "digamma": mp.digamma,
    "i0": lambda x: mp.besseli(0, x), "i1": lambda x: mp.besseli(1, x),
    "i0e": _scaled(lambda x: mp.exp(-abs(x)), lambda x: mp.besseli(0, x)),
    "i1e": _scaled(lambda x: mp.exp(-abs(x)), lambda x: mp.besseli(1, x)),
    "ndtr": _ndtr, "log_ndtr": lambda x: mp.log(_ndtr(x)), "ndtri": lambda x: mp.sqrt(2) * mp.erfinv(2 * x - 1),
    "entr": lambda x: mp.mpf(0) if x == 0 else -x * mp.log(x),
}  # fmt: skip

MORE: dict[str, Function] = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": lambda x, y: x / y,
    "**": _power, "add": lambda x, y, alpha=1: x + alpha * y, "sub": lambda x, y, alpha=1: x - alpha * y,
    "mul": lambda x, y: x * y, "true_divide": lambda x, y: x / y, "pow": _power, "float_power": _power,
    "hypot": lambda x, y: mp.sqrt(x * x + y * y), "atan2": mp.atan2, "logaddexp": _logaddexp, "xlogy": _xlogy,
    "xlog1py": lambda x, y: mp.mpf(0) if x == 0 else x * mp.log1p(y),
    "logaddexp2": lambda x, y: _logaddexp(x * mp.log(2), y * mp.log(2)) / mp.log(2),
    "lerp": lambda x, y, w: x + w * (y - x), "addcmul": lambda x, a, b, value=1: x + value * a * b,
    "addcdiv": lambda x, a, b, value=1: x + value * a / b,
    "logit": lambda x, eps=None: mp.log(x / (1 - x)) if eps is None else (lambda z: mp.log(z / (1 - z)))(min(max(x, eps), 1 - eps)),
    "softplus": _softplus, "gelu": _gelu, "elu": _elu, "celu": _celu,
    "leaky_relu": lambda x, negative_slope=0.01: x if x > 0 else negative_slope * x,
    "maximum": max, "minimum": min, "fmax": max, "fmin": min, "clamp": _clamp,
    "clamp_min": lambda x, low: max(x, low), "clamp_max": lambda x, high: min(x, high),
    "polygamma": lambda n, x: mp.psi(int(n), x), "zeta": lambda s, q: mp.zeta(s, q),
    "gammainc": lambda a, x: mp.gammainc(a, 0, x, regularized=True),
    "gammaincc": lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True),
    "remainder": lambda x, y: x - y * mp.floor(x / y), "%": lambda x, y: x - y * mp.floor(x / y),
}  # fmt: skip

TABLE: dict[str, Function] = ONE | MORE
