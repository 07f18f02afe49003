"""Arithmetic on numbers alone, done while reading the text and within bounds: no number outgrows float64."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from gradcli.errors import GradcliError
from gradcli.language.program import Number

MAX_BITS = 1023  # every finite float64 fits

CONSTANTS: dict[str, float] = {"pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "nan": math.nan}

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "&": operator.and_, "|": operator.or_,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_UNARY: dict[str, Callable[..., Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}

# What `sqrt(2)` and `math.sqrt(2)` mean on numbers: Python's own functions, whose results are floats.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(math, name)
    for name in (
        "acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh degrees erf erfc exp expm1 fabs floor "
        "fmod gamma hypot isfinite isinf isnan lgamma log log10 log1p log2 pow radians remainder sin sinh "
        "sqrt tan tanh trunc"
    ).split()
} | {"exp2": lambda x: 2.0**x, "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x)}

# Python's own words on numbers.
WORDS: dict[str, Callable[..., Any]] = {
    "abs": abs, "max": max, "min": min, "round": lambda *args: _rounded(*args), "pow": lambda a, b: fold("**", a, b),
    "float": float, "int": int, "bool": bool, "complex": complex,
}  # fmt: skip


def is_number(operand: object) -> bool:
    """Whether an operand is a number of the text (a bool counts, as in Python)."""
    return isinstance(operand, (int, float, complex))


def checked(value: Any) -> Number:
    """`value`, where it is a number that float64 can hold; GradcliError of kind bounds otherwise."""
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise GradcliError(
            "bounds", "a whole number of this size does not fit a float64", hint="numbers end near 1.8e308"
        )
    if not is_number(value):
        raise GradcliError("syntax", f"arithmetic on numbers cannot give a {type(value).__name__}")
    return value  # type: ignore[no-any-return]


def fold(symbol: str, left: Number, right: Number) -> Number:
    """The result of `left symbol right` as Python computes it, refused where it leaves the bounds."""
    whole = isinstance(left, int) and isinstance(right, int)
    if symbol == "**" and whole and right > 0 and left.bit_length() * right > 2 * MAX_BITS:  # type: ignore[operator, union-attr]
        raise GradcliError("bounds", "this power is too large to compute", hint="numbers end near 1.8e308")
    return _compute(_OPERATIONS[symbol], (left, right), {})


def fold_unary(symbol: str, value: Number) -> Number:
    """The result of a unary operator on a number."""
    return _compute(_UNARY[symbol], (value,), {})


def call(function: Callable[..., Any], args: tuple[Number, ...]) -> Number:
    """The result of a function of FUNCTIONS or WORDS on numbers."""
    return _compute(function, args, {})


def _rounded(value: Any, digits: Any = None) -> Any:
    """round() to at most as many digits as a number can have: Python computes ten to the power of any number."""
    return round(value, digits if digits is None else max(-MAX_BITS, min(digits, MAX_BITS)))


def _compute(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Number:
    try:
        return checked(function(*args, **kwargs))
    except ZeroDivisionError:
        raise GradcliError("syntax", "division by zero, on numbers alone") from None
    except OverflowError:
        raise GradcliError("bounds", "this number is too large", hint="numbers end near 1.8e308") from None
    except (ValueError, TypeError) as error:
        raise GradcliError("syntax", f"numbers do not allow this: {error}") from None
