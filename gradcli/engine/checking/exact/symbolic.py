"""The derivative as a formula, by sympy: for elementwise programs of few steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from gradcli.engine.checking.exact.binding import bound
from gradcli.engine.checking.exact.number import Unknown
from gradcli.engine.operations import operand_value
from gradcli.language.program import Bind, Call, Input, Program

STEPS = 8  # of a program that is put into a formula
ELEMENTS = 8  # at which a formula is evaluated
DIGITS = 40
LONGEST = 72  # characters of a formula that is shown


@dataclass(frozen=True, slots=True)
class Formula:
    """The derivative by one input: as text, where that is short, and at each element."""

    text: str | None
    values: list[Any]

    def agrees(self, slopes: list[Any]) -> bool:
        """Whether a computation with many digits gives the same numbers."""
        pairs = zip(self.values, slopes, strict=True)
        return all(b is not None and (a == b or abs(a - b) <= 1e-12 * max(abs(a), abs(b))) for a, b in pairs)


def formulas(
    program: Program, point: dict[str, torch.Tensor], by: Sequence[str], values: list[Any]
) -> dict[str, Formula] | None:
    """The derivatives of a program whose steps all work element by element on inputs of one shape, or None.

    `values` holds what the steps gave in float64: what has no input in it counts as a number.
    """
    shapes = {tuple(point[name].shape) for name in by}
    calls = sum(isinstance(step, Call) for step in program.steps)
    count = max((point[name].numel() for name in by), default=0)
    if len(program.outputs) != 1 or len(shapes) != 1 or not 0 < calls <= STEPS or not 0 < count <= ELEMENTS:
        return None
    if not all(_known(step, count) for step in program.steps if isinstance(step, Call)):
        return None
    import sympy

    symbols = {name: sympy.Symbol(name, real=True) for name in by}
    try:
        exact = _expression(program, symbols, values, sympy.Rational)
        shown = _expression(program, symbols, values, _short)
        found = {}
        for name, symbol in symbols.items():
            slope = sympy.diff(exact, symbol)
            at = [_evaluated(slope, symbols, point, index) for index in range(count)]
            text = sympy.sstr(sympy.diff(shown, symbol), full_prec=False)
            found[name] = Formula(text if len(text) <= LONGEST else None, at)
    except (Unknown, TypeError, ValueError, ZeroDivisionError, OverflowError, AttributeError):
        return None
    return found


def _known(step: Call, count: int) -> bool:
    name = step.function.name
    return name in _table() or name in _SAME or (count == 1 and name in _SINGLE)


_SAME = frozenset("pos positive clone contiguous double".split())
_SINGLE = frozenset("sum mean prod squeeze ravel flatten".split())  # which leave a single number as it is


def _expression(program: Program, symbols: dict[str, Any], values: list[Any], literal: Callable[[Any], Any]) -> Any:
    """The output as an expression of sympy."""
    found: list[Any] = []
    for index, step in enumerate(program.steps):
        if isinstance(step, Input):
            found.append(symbols[step.name] if step.name in symbols else _constant(values[index], literal))
        elif isinstance(step, Bind) and step.part is None:
            found.append(operand_value(step.operand, found))
        elif isinstance(step, Call):
            args = [_lifted(operand_value(operand, found), literal) for operand in step.args]
            kwargs = {name: _lifted(operand_value(one, found), literal) for name, one in step.kwargs}
            found.append(_applied(step, args, kwargs))
        else:
            raise Unknown
    return operand_value(program.outputs[0].operand, found)


def _constant(value: Any, literal: Callable[[Any], Any]) -> Any:
    if not isinstance(value, torch.Tensor) or value.numel() != 1 or value.is_complex():
        raise Unknown
    return literal(value.item())


def _lifted(value: Any, literal: Callable[[Any], Any]) -> Any:
    return literal(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _applied(step: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    name = step.function.name
    if name in _SAME or name in _SINGLE:
        return args[0]
    row = _table()[name]
    words, given = bound(step, row, args, kwargs)
    return row(*words, **given)


def _short(number: Any) -> Any:
    import sympy

    return sympy.Integer(int(number)) if float(number).is_integer() and abs(number) < 1e6 else sympy.Float(number, 15)


def _evaluated(slope: Any, symbols: dict[str, Any], point: dict[str, torch.Tensor], index: int) -> Any:
    """The formula at one element, with forty digits. Raises Unknown where it has no number there."""
    import mpmath
    import sympy

    at = {symbol: sympy.Rational(float(point[name].reshape(-1)[index])) for name, symbol in symbols.items()}
    found = slope.evalf(DIGITS, subs=at, maxn=2000)
    if not found.is_Float and not found.is_Integer and found != 0:
        raise Unknown
    with mpmath.workdps(DIGITS):
        return mpmath.mpf(str(found))


def _table() -> dict[str, Callable[..., Any]]:
    """Name -> what it is to sympy. Kinks are left out: their slopes are not formulas but cases."""
    import sympy as s

    root, half = s.sqrt, s.Rational(1, 2)
    return {
        "+": lambda input, other: input + other, "-": lambda input, other: input - other,
        "*": lambda input, other: input * other, "/": lambda input, other: input / other,
        "**": lambda input, other: input**other, "pow": lambda input, exponent: input**exponent,
        "neg": lambda input: -input, "add": lambda input, other, alpha=1: input + alpha * other,
        "sub": lambda input, other, alpha=1: input - alpha * other, "mul": lambda input, other: input * other,
        "div": lambda input, other: input / other, "true_divide": lambda input, other: input / other,
        "square": lambda input: input**2, "sqrt": lambda input: root(input), "rsqrt": lambda input: 1 / root(input),
        "reciprocal": lambda input: 1 / input, "exp": lambda input: s.exp(input), "exp2": lambda input: 2**input,
        "expm1": lambda input: s.exp(input) - 1, "log": lambda input: s.log(input),
        "log2": lambda input: s.log(input) / s.log(2), "log10": lambda input: s.log(input) / s.log(10),
        "log1p": lambda input: s.log(1 + input), "sin": lambda input: s.sin(input), "cos": lambda input: s.cos(input),
        "tan": lambda input: s.tan(input), "asin": lambda input: s.asin(input), "acos": lambda input: s.acos(input),
        "atan": lambda input: s.atan(input), "atan2": lambda input, other: s.atan2(input, other),
        "sinh": lambda input: s.sinh(input), "cosh": lambda input: s.cosh(input), "tanh": lambda input: s.tanh(input),
        "asinh": lambda input: s.asinh(input), "acosh": lambda input: s.acosh(input),
        "atanh": lambda input: s.atanh(input), "hypot": lambda input, other: root(input**2 + other**2),
        "sigmoid": lambda input: 1 / (1 + s.exp(-input)), "logsigmoid": lambda input: -s.log(1 + s.exp(-input)),
        "silu": lambda input: input / (1 + s.exp(-input)), "erf": lambda input: s.erf(input),
        "erfc": lambda input: s.erfc(input), "lgamma": lambda input: s.loggamma(input),
        "digamma": lambda input: s.digamma(input), "logit": lambda input: s.log(input / (1 - input)),
        "tanhshrink": lambda input: input - s.tanh(input), "entr": lambda input: -input * s.log(input),
        "xlogy": lambda input, other: input * s.log(other), "logaddexp": lambda input, other: s.log(s.exp(input) + s.exp(other)),
        "gelu": lambda input: input * (1 + s.erf(input / root(2))) * half,
        "addcmul": lambda input, tensor1, tensor2, value=1: input + value * tensor1 * tensor2,
        "lerp": lambda input, end, weight: input + weight * (end - input),
    }  # fmt: skip
