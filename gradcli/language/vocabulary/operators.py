"""Python's operators, indexing and `len`, as rows like any other function."""

from __future__ import annotations

from gradcli.language.vocabulary.function import Function


def _operator(symbol: str, python: str, summary: str, **facts: object) -> Function:
    settings = {"pointwise": True, "silent": True, **facts}
    return Function(symbol, (python,), "operators", "(input, other)", summary, **settings)  # type: ignore[arg-type]


BINARY: dict[str, Function] = {
    row.name: row
    for row in (
        _operator("+", "operator.add", "Sum."),
        _operator("-", "operator.sub", "Difference."),
        _operator("*", "operator.mul", "Product, element by element."),
        _operator("/", "operator.truediv", "Quotient.", smooth="other != 0", divides=True),
        _operator(
            "//",
            "operator.floordiv",
            "Quotient rounded down.",
            smooth="nowhere",
            kinks="integers",
            differentiable=False,
        ),
        _operator(
            "%",
            "operator.mod",
            "Remainder with the divisor's sign.",
            smooth="input / other not an integer",
            kinks="integers",
        ),
        _operator("**", "operator.pow", "Power.", smooth="input > 0 or other an integer"),
        _operator("@", "operator.matmul", "Matrix product.", pointwise=False),
        _operator("&", "operator.and_", "Both, of booleans.", smooth="nowhere", differentiable=False),
        _operator("|", "operator.or_", "Either, of booleans.", smooth="nowhere", differentiable=False),
    )
}

COMPARISON: dict[str, Function] = {
    row.name: row
    for row in (
        _operator(symbol, python, summary, smooth="nowhere", differentiable=False)
        for symbol, python, summary in (
            ("<", "operator.lt", "Less than."),
            ("<=", "operator.le", "Less than or equal."),
            (">", "operator.gt", "Greater than."),
            (">=", "operator.ge", "Greater than or equal."),
            ("==", "operator.eq", "Equal."),
            ("!=", "operator.ne", "Not equal."),
        )
    )
}

UNARY: dict[str, Function] = {
    "-": Function("neg", ("operator.neg",), "operators", "(input)", "Negative.", pointwise=True, silent=True),
    "+": Function("pos", ("operator.pos",), "operators", "(input)", "The tensor itself.", pointwise=True, silent=True),
    "~": Function(
        "invert",
        ("operator.invert",),
        "operators",
        "(input)",
        "Not, of booleans.",
        "nowhere",
        pointwise=True,
        differentiable=False,
        silent=True,
    ),
}

# The name of a unary operator's row -> the symbol that is written for it.
SYMBOL_OF: dict[str, str] = {row.name: symbol for symbol, row in UNARY.items()}

AUGMENTED: dict[str, Function] = {
    symbol: Function(
        f"{symbol}=",
        (f"operator.i{BINARY[symbol].paths[0].partition('.')[2].rstrip('_')}",),
        "operators",
        "(input, other)",
        f"In place: {BINARY[symbol].summary.lower()}",
        BINARY[symbol].smooth,
        pointwise=BINARY[symbol].pointwise,
        differentiable=BINARY[symbol].differentiable,
        writes=True,
    )
    for symbol in BINARY
}

INDEX = Function(
    "index", ("operator.getitem",), "operators", "(input, index)", "Part of a tensor, or an item of a tuple."
)
STORE = Function(
    "store", ("operator.setitem",), "operators", "(input, index, value)", "Write a part of a tensor.", writes=True
)
LENGTH = Function(
    "len",
    ("builtins.len",),
    "operators",
    "(input)",
    "Size of the first dimension, as a number.",
    "nowhere",
    differentiable=False,
)
FIELD = Function("field", ("operator.field",), "operators", "(input)", "A field of a named tuple.")
