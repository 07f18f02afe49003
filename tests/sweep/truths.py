"""What there is to be found on curves and surfaces, worked out on paper or by mpmath: the truth of the findings.

A row: the expression, the range of x, and each finding as (kind, x, further facts). Facts are the sides of a kink, jump
or pole, `minimum` or `maximum` for a kink that is one. `may`: kinds of stretches whose ends depend on the dtype.
"""

from __future__ import annotations

from math import e, inf, pi
from typing import Any, NamedTuple


class Row(NamedTuple):
    """A curve and all that it has between `low` and `high`."""

    expression: str
    low: float
    high: float
    spots: tuple[tuple[Any, ...], ...] = ()
    stretches: tuple[tuple[str, str, float, float], ...] = ()
    may: frozenset[str] = frozenset()


ALL = frozenset({"lost", "vanishing", "zero", "infinite"})
TAN = (4.493409457909064, 7.725251836937707, 10.904121659428899, 14.066193912831473, 17.220755271930768)  # tan u = u
BOTH = ("value", "gradient")


def zero(low: float, high: float) -> tuple[tuple[str, str, float, float], ...]:
    return tuple(("zero", of, low, high) for of in BOTH)


CURVES: tuple[Row, ...] = (
    Row("x**3 - 3*x", -5, 5, (("maximum", -1), ("minimum", 1))),
    Row("abs(x)", -5, 5, (("kink", 0, (-1, 1), "minimum"),)),
    Row("sqrt(abs(x))", -5, 5, (("kink", 0, (-inf, inf), "minimum"),)),
    Row("relu(x)", -5, 5, (("kink", 0, (0, 1)),), zero(-5, 0)),
    Row("clamp(x, -1, 1)", -3, 3, (("kink", -1, (0, 1)), ("kink", 1, (1, 0))),
        (("zero", "gradient", -3, -1), ("zero", "gradient", 1, 3))),
    Row("floor(x)", -2.5, 2.5, tuple(("jump", k, (k - 1, k)) for k in (-2, -1, 0, 1, 2)),
        (("zero", "value", 0, 1), ("zero", "gradient", -2.5, 2.5))),
    Row("1/x", -2, 2, (("pole", 0, (-inf, inf)),)),
    Row("log(x)", -1, 3, (("pole", 0),), (("nan", "value", -1, 0),)),
    Row("tan(x)", -2, 2, (("pole", -pi / 2, (inf, -inf)), ("pole", pi / 2, (inf, -inf)))),
    Row("sin(x)", -5, 5, (("maximum", -1.5 * pi), ("minimum", -pi / 2), ("maximum", pi / 2), ("minimum", 1.5 * pi))),
    Row("x*sin(1/x)", 0.05, 1, tuple(
        ("minimum" if k % 2 else "maximum", 1 / TAN[k - 1]) for k in range(5, 0, -1))),
    Row("exp(x)", -5, 5),
    Row("sigmoid(20*x)", -5, 5, may=ALL),
    Row("F.softplus(x)", -5, 5),
    Row("torch.maximum(x, x**2)", -2, 2, (("kink", 0, (0, 1), "minimum"), ("kink", 1, (1, 2)))),
    Row("sinc(x)", -3, 3, (
        ("maximum", -2.459024032956762), ("minimum", -1.4302966531242027), ("maximum", 0),
        ("minimum", 1.4302966531242027), ("maximum", 2.459024032956762))),
    Row("x**x", 0.01, 2, (("minimum", 1 / e),)),
    Row("F.huber_loss(x, torch.tensor(0.5))", -3, 3, (("minimum", 0.5),)),
    Row("F.hardswish(x)", -5, 5, (("kink", -3, (0, -0.5)), ("minimum", -1.5), ("kink", 3, (1.5, 1))), zero(-5, -3)),
    Row("x**3", -2, 2, (("inflection", 0),)),
    # Further kinds of curves.
    Row("1/x**2", -2, 2, (("pole", 0, (inf, inf)),)),
    Row("1/(x - 0.3)**3", -1, 1, (("pole", 0.3, (-inf, inf)),)),
    Row("log(abs(x - 0.25))", -2, 2, (("pole", 0.25, (-inf, -inf)),)),
    Row("x**4", -2, 2, (("minimum", 0),)),
    Row("(x - 1)**3*(x + 1)**2", -2, 2, (("maximum", -1), ("minimum", -0.2), ("inflection", 1))),
    Row("x**5 - x", -2, 2, (("maximum", -(5**-0.25)), ("minimum", 5**-0.25))),
    Row("sin(x) + x", -1, 10, (("inflection", pi), ("inflection", 3 * pi))),
    Row("abs(x)**(2/3)", -1, 2, (("kink", 0, (-inf, inf), "minimum"),)),
    Row("sign(x)*abs(x)**(1/3)", -1, 2, (("infinite", 0),)),
    Row("sqrt(x)", -1, 2, (("infinite", 0),), (("nan", "value", -1, 0), ("nan", "gradient", -1, 0))),
    Row("asin(x)", -2, 2, (("infinite", -1), ("infinite", 1)),
        tuple(("nan", of, *ends) for of in BOTH for ends in ((-2, -1), (1, 2)))),
    Row("x*log(x)", -1, 2, (("infinite", 0), ("minimum", 1 / e)),
        (("nan", "value", -1, 0), ("nan", "gradient", -1, 0))),
    Row("sin(x)/x", -5, 5, (("minimum", -TAN[0]), ("gap", 0, (1, 1)), ("minimum", TAN[0]))),
    Row("abs(x)/x", -2, 2, (("jump", 0, (-1, 1)),), may=frozenset({"zero"})),
    Row("1/(1 + exp(1/x))", -2, 2, (("jump", 0, (1, 0)),), may=ALL | {"nan"}),
    Row("atan2(x, 0*x - 1)", -2, 2, (("jump", 0, (-pi, pi)),)),
    Row("F.elu(x)", -3, 3),
    Row("F.elu(x, 2.0)", -3, 3, (("kink", 0, (2, 1)),)),
    Row("F.gelu(x)", -3, 3, (("minimum", -0.7517915246935645),)),
    Row("F.mish(x)", -3, 3, (("minimum", -1.192431214515495),)),
    Row("F.leaky_relu(x)", -2, 2, (("kink", 0, (0.01, 1)),)),
    Row("F.softshrink(x)", -2, 2, (("kink", -0.5, (1, 0)), ("kink", 0.5, (0, 1))), zero(-0.5, 0.5)),
    Row("F.relu6(x)", -8, 8, (("kink", 0, (0, 1)), ("kink", 6, (1, 0))), (*zero(-8, 0), ("zero", "gradient", 6, 8))),
    Row("F.threshold(x, 0.125, 20.)", -1, 1, (("jump", 0.125, (20, 0.125)),), (("zero", "gradient", -1, 0.125),)),
    Row("F.hardsigmoid(x)", -5, 5, (("kink", -3), ("kink", 3)),  # torch has 1/6 in float32
        (*zero(-5, -3), ("zero", "gradient", 3, 5))),
    Row("logaddexp(x, -x)", -3, 3, (("minimum", 0),)),
    Row("logsumexp(stack([x, -2*x]), 0)", -3, 3, (("minimum", 0.23104906018664842),)),  # log(2)/3
    Row("where(x > 0.25, x, -1.0)", -2, 2, (("jump", 0.25, (-1, 0.25)),), (("zero", "gradient", -2, 0.25),)),
    Row("round(x)", -2, 2, tuple(("jump", k + 0.5, (k, k + 1)) for k in (-2, -1, 0, 1)),
        (("zero", "value", -0.5, 0.5), ("zero", "gradient", -2, 2))),
    Row("frac(x)", -1.75, 2.25, (("jump", -1, (0, -1)), ("jump", 1, (1, 0)), ("jump", 2, (1, 0)))),
    Row("remainder(x, 0.75)", -1, 2, tuple(("jump", k, (0.75, 0)) for k in (-0.75, 0, 0.75, 1.5))),
    Row("log1p(x)", -2, 2, (("pole", -1),), (("nan", "value", -2, -1),)),
    Row("cosh(x)", -80, 80, (("minimum", 0),)),
    Row("x*0 + 3", -2, 2, (), (("zero", "gradient", -2, 2),)),
    Row("sin(x)**2 + cos(x)**2", -3, 3, may=ALL),
    Row("relu(x)**2", -2, 2, (), zero(-2, 0)),
    Row("exp(-x**2)", -3, 3, (("maximum", 0),)),
    Row("tanh(x)", -3, 3),
    Row("(abs(x) - 1)**2", -2, 2, (("minimum", -1), ("kink", 0, (2, -2), "maximum"), ("minimum", 1))),
    Row("abs(sin(3*x))", -2, 2, (
        ("maximum", -pi / 2), ("kink", -pi / 3, (-3, 3), "minimum"), ("maximum", -pi / 6),
        ("kink", 0, (-3, 3), "minimum"), ("maximum", pi / 6), ("kink", pi / 3, (-3, 3), "minimum"),
        ("maximum", pi / 2))),
    Row("abs(x - 0.125)*1e-3 + x", -1, 1, (("kink", 0.125, (0.999, 1.001)),)),
    Row("lgamma(x)", 0.5, 3, (("minimum", 1.4616321449683623),)),
    Row("cos(x) + x/2", 0, 4, (("maximum", pi / 6), ("minimum", 5 * pi / 6))),
    Row("x**2*sign(x)", -1, 1, (("inflection", 0),)),
    Row("round(x).detach() + x - x.detach()", -1.25, 1.25, (("jump", -0.5, (-1, 0)), ("jump", 0.5, (0, 1))),
        may=frozenset({"zero"})),
    Row("2*cos(x) + x", 0, 3, (("maximum", pi / 6), ("minimum", 5 * pi / 6))),
    Row("acos(x)*0 + x**2", -0.5, 0.5, (("minimum", 0),)),
)  # fmt: skip

# Written before the program was asked about any of them.
UNSEEN: tuple[Row, ...] = (
    Row("abs(x - 0.3)*1e-5 + x**2", 0.1, 1, (("kink", 0.3, (0.59999, 0.60001)),)),
    Row("x*abs(x)", -1, 1, (("inflection", 0),)),
    Row("(x - 0.7)**5", -1, 2, (("inflection", 0.7),)),
    Row("exp(-1000*(x - 0.3)**2)", 0, 1, (("maximum", 0.3),), may=ALL),
    Row("clamp(x, 0.2, 0.2001)", 0, 1, (("kink", 0.2, (0, 1)), ("kink", 0.2001, (1, 0))),
        (("zero", "gradient", 0, 0.2), ("zero", "gradient", 0.2001, 1))),
    Row("1/(x**2 - 0.5)", -1, 1, (("pole", -(0.5**0.5), (inf, -inf)), ("maximum", 0), ("pole", 0.5**0.5, (-inf, inf)))),
    Row("tanh(x)**2", -2, 2, (("minimum", 0),)),
    Row("x**3*(x - 1)", -1, 2, (("inflection", 0), ("minimum", 0.75))),
    Row("atan(1/x)", -2, 2, (("jump", 0, (-pi / 2, pi / 2)),)),
    Row("ceil(x) - x", -1.5, 1.5, (("jump", -1, (0, 1)), ("jump", 0, (0, 1)), ("jump", 1, (0, 1)))),
    Row("hypot(x, torch.tensor(0.5))", -2, 2, (("minimum", 0),)),
    Row("minimum(x**2, 2 - x)", -1.5, 2, (("minimum", 0), ("kink", 1, (2, -1), "maximum"))),
    Row("log(cosh(x))", -4, 4, (("minimum", 0),)),
    Row("F.silu(x)", -4, 4, (("minimum", -1.278464542761074),)),
    Row("exp(sin(x))", -4, 4, (("minimum", -pi / 2), ("maximum", pi / 2))),
    # The scan comes within 1e-8 of the pole, and misses it.
    Row("1/log(x)", 0.2, 3, (("pole", 1, (-inf, inf)),)),
    # Where a divisor is 0, whether the points hit it or not.
    Row("(x**2 - 1)/(x - 1)", -2, 3, (("gap", 1, (2, 2)),)),
    # The gradient is a quotient of roundings there; the value is as good as ever.
    Row("asin(sin(x))", -4, 4, (("kink", -pi / 2, (-1, 1), "minimum"), ("kink", pi / 2, (1, -1), "maximum")),
        may=ALL | {"nan"}),
    # The value grows beyond float64, and not without bound.
    Row("exp(1/x)", -1, 1, may=ALL | {"nan"}),
    Row("log(exp(x))", -1000, 1000, may=ALL | {"nan"}),
    # It grows so slowly that offsets do not tell; torch has inf there.
    Row("erfinv(x)", -1.5, 1.5, (("pole", -1), ("pole", 1)), may=frozenset({"nan"})),
    # No round number is nearer to where these meet.
    Row("maximum(sin(x), cos(x))", -4, 2, (
        ("kink", -0.75 * pi, (-(0.5**0.5), 0.5**0.5), "minimum"), ("maximum", 0),
        ("kink", 0.25 * pi, (-(0.5**0.5), 0.5**0.5), "minimum"), ("maximum", pi / 2))),
    # A step down to 0 from the least of float64's numbers.
    Row("sigmoid(1000*x)", -1, 1, may=ALL),
    # torch has a slope of 0 where the matrix is singular, and its slope is 2 around.
    Row("det(stack([stack([x, 1 + 0*x]), stack([1 + 0*x, x])]))", -2, 2, (("minimum", 0),)),
    # At float32's 0.3 the value is 0, and in float64 it is not: the stretch ends between two points.
    Row("relu(x - 0.3) - relu(x - 0.6)", -1, 1, (("kink", 0.3, (0, 1)), ("kink", 0.6, (1, 0))),
        (*zero(-1, 0.3), ("zero", "gradient", 0.6, 1))),
)  # fmt: skip

# Surfaces over x and y from -size to size, and their points.
HIMMELBLAU = (
    ("minimum", 3, 2), ("minimum", -2.805118086952745, 3.131312518250573),
    ("minimum", -3.779310253377747, -3.283185991286170), ("minimum", 3.584428340330492, -1.848126526964404),
    ("saddle", 0.086677504555123, 2.884254701174794), ("saddle", 3.385154183607051, 0.073851879837747),
    ("saddle", -3.073025750734870, -0.081353044331870), ("saddle", -0.127961346731078, -1.953714980262265),
    ("maximum", -0.270844590667269, -0.923038522150155),
)  # fmt: skip
LINE = (("kink", 0.0, None), ("kink", None, 0.0))  # None: all along
SURFACES: tuple[tuple[str, float, tuple[tuple[Any, ...], ...]], ...] = (
    ("100*(y - x**2)**2 + (1 - x)**2", 2, (("minimum", 1, 1),)),
    ("(x**2 + y - 11)**2 + (x + y**2 - 7)**2", 5, HIMMELBLAU),
    ("x**2 - y**2", 2, (("saddle", 0, 0),)),
    ("abs(x) + abs(y)", 2, (("kink", 0, 0), *LINE)),
    ("x**3 - 3*x*y**2", 2, (("saddle", 0, 0),)),
    ("0.26*(x**2 + y**2) - 0.48*x*y", 2, (("minimum", 0, 0),)),
    ("(x + 2*y - 7)**2 + (2*x + y - 5)**2", 5, (("minimum", 1, 3),)),
    ("sqrt(x**2 + y**2)", 2, (("kink", 0, 0),)),
    ("1/(x**2 + y**2)", 2, (("pole", 0, 0),)),
    ("x**4 + y**4", 1, (("minimum", 0, 0),)),
    ("exp(x + y)", 1, ()),
    ("x + relu(y)", 1, (("kink", None, 0.0),)),
    ("x**2 + y**3", 1, (("saddle", 0, 0),)),
    ("(x - y)**2", 1, (("minimum", None, None),)),
    ("x**3*y", 1, (("saddle", 0, 0),)),
)  # fmt: skip
