"""Arithmetic, powers, exponentials, logarithms, trigonometry, rounding and selection of each element."""

from __future__ import annotations

from typing import Any

import mpmath as mp

ZERO = mp.mpf(0)


def power(input: Any, exponent: Any) -> Any:
    """input**exponent over the real numbers."""
    if exponent == 0:
        return mp.mpf(1)
    if input < 0 and exponent != mp.floor(exponent):
        return mp.nan
    return mp.power(input, exponent)


def _divided(input: Any, other: Any, rounding_mode: Any = None) -> Any:
    quotient = input / other
    return {None: quotient, "floor": mp.floor(quotient), "trunc": _truncated(quotient)}[rounding_mode]


def _truncated(x: Any) -> Any:
    return mp.sign(x) * mp.floor(abs(x))


def _remainder(input: Any, other: Any) -> Any:
    return input - other * mp.floor(input / other)


def _sign(x: Any) -> Any:
    return mp.mpf((x > 0) - (x < 0))


def _round(input: Any, decimals: Any = 0) -> Any:
    scale = mp.mpf(10) ** int(decimals)
    return mp.nint(input * scale) / scale


def _clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    low = input if min is None or input >= min else min
    return low if max is None or low <= max else max


def _log_add_exp(x: Any, y: Any, base: Any) -> Any:
    most = max(x, y)
    return most if mp.isinf(most) else most + mp.log(mp.power(base, x - most) + mp.power(base, y - most), base)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def _logit(input: Any, eps: Any = None) -> Any:
    held = input if eps is None else _clamp(input, eps, 1 - mp.mpf(eps))
    return mp.log(held / (1 - held))


def _sinc(x: Any) -> Any:
    return mp.mpf(1) if x == 0 else mp.sinpi(x) / (mp.pi * x)


ROWS = {
    "+": lambda input, other: input + other, "-": lambda input, other: input - other,
    "*": lambda input, other: input * other, "/": lambda input, other: input / other, "%": _remainder,
    "**": lambda input, other: power(input, other), "neg": lambda input: -input, "pos": lambda input: input,
    "add": lambda input, other, alpha=1: input + alpha * other,
    "sub": lambda input, other, alpha=1: input - alpha * other,
    "rsub": lambda input, other, alpha=1: other - alpha * input, "mul": lambda input, other: input * other,
    "div": _divided, "true_divide": lambda input, other: input / other, "remainder": _remainder,
    "fmod": lambda input, other: input - other * _truncated(input / other), "pow": power, "float_power": power,
    "square": lambda input: input * input, "sqrt": mp.sqrt, "rsqrt": lambda input: 1 / mp.sqrt(input),
    "reciprocal": lambda input: 1 / input, "abs": abs, "positive": lambda input: input,
    "copysign": lambda input, other: abs(input) * (-1 if other < 0 else 1),
    "lerp": lambda input, end, weight: input + weight * (end - input),
    "addcmul": lambda input, tensor1, tensor2, value=1: input + value * tensor1 * tensor2,
    "addcdiv": lambda input, tensor1, tensor2, value=1: input + value * tensor1 / tensor2,
    "ldexp": lambda input, other: input * mp.power(2, other),
    "exp": mp.exp, "exp2": lambda input: mp.power(2, input), "expm1": mp.expm1, "log": mp.log,
    "log2": lambda input: mp.log(input, 2), "log10": mp.log10, "log1p": mp.log1p, "sigmoid": sigmoid,
    "logaddexp": lambda input, other: _log_add_exp(input, other, mp.e),
    "logaddexp2": lambda input, other: _log_add_exp(input, other, 2),
    "xlogy": lambda input, other: ZERO if input == 0 else input * mp.log(other),
    "xlog1py": lambda input, other: ZERO if input == 0 else input * mp.log1p(other),
    "logit": _logit, "entr": lambda input: ZERO if input == 0 else -input * mp.log(input),
    "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "asin": mp.asin, "acos": mp.acos, "atan": mp.atan,
    "atan2": lambda input, other: mp.atan2(input, other), "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh,
    "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh, "sinc": _sinc,
    "hypot": lambda input, other: mp.sqrt(input * input + other * other),
    "deg2rad": lambda input: input * mp.pi / 180, "rad2deg": lambda input: input * 180 / mp.pi,
    "floor": mp.floor, "ceil": mp.ceil, "trunc": _truncated, "frac": lambda input: input - _truncated(input),
    "round": _round, "sign": _sign, "sgn": _sign,
    "clamp": _clamp, "clamp_min": lambda input, min: _clamp(input, min),
    "clamp_max": lambda input, max: _clamp(input, None, max),
    "maximum": max, "minimum": min, "fmax": max, "fmin": min,
    "nan_to_num": lambda input, nan=None, posinf=None, neginf=None: input,
}  # fmt: skip
"""Each row: a name of the vocabulary -> the function of numbers that it should compute."""
