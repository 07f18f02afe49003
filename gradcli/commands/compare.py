"""The same thing in several ways, side by side: grad modes, dtypes, or formulas that should be the same.

One expression is compared under grad, no_grad, inference mode and with detached inputs; with --dtypes in each of these
dtypes, whose errors are told against float64 in units of the last place, ulp(y) = 2^(e - p + 1) for 2^e ≤ |y| < 2^(e+1)
and p bits of precision. Several expressions are formulas at one point: their values and gradients, where they part, and
which of them is right, as a computation with sixty digits or float64 has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.commands.command import AT, CONST, DEVICE, DTYPE, MAX_MEMORY, SEED, VERIFY, Command, Option
from gradcli.commands.dtypes import dtypes_compared, names_of
from gradcli.commands.formulas import formulas_compared, refuse_beside_formulas, tolerance_of
from gradcli.commands.modes import modes_compared, rounds_of
from gradcli.compared import Comparison
from gradcli.errors import GradcliError


def compare(
    expression: str | Sequence[str], at: Any = None, const: Any = None, *, dtypes: Any = None, dtype: Any = None,
    device: Any = None, seed: int = 0, rounds: int | None = None, tolerance: float | None = None,
    max_memory: Any = None, notes: bool = True, verify: bool | None = False,
) -> Comparison:  # fmt: skip
    """Compare grad modes, dtypes, or formulas that should be the same.

    >>> found = gradcli.compare(["log(1+exp(A))", "F.softplus(A)"], at=1000.0)
    >>> [column.right for column in found.columns]
    [False, True]

    Args:
        expression: one expression or snippet, or a list or tuple of several formulas, whose inputs are put together.
        dtypes: names of dtypes, in a list or in text with commas, to evaluate the expression in.
        rounds: how often each grad mode is timed, in turn; 0 measures no times. As many as tell within about two
            seconds, at least five, where None.
        tolerance: the relative difference that formulas may have; 16 units of the last place of their dtype where None.

    The other arguments are those of `gradcli.grad`. Returns a Comparison: `verdict` in words, `columns`, `notes`.
    Formulas that part are a note of level warning.
    Raises GradcliError: exit code 2 where the request is wrong, 3 where torch refuses every column.
    """
    texts = tuple(expression) if isinstance(expression, (list, tuple)) else (expression,)
    shared = {"device": device, "seed": seed, "max_memory": max_memory, "verify": verify}
    timed, within = rounds_of(rounds), tolerance_of(tolerance)
    if len(texts) != 1:
        refuse_beside_formulas(dtypes=dtypes, rounds=rounds)
        return formulas_compared(texts, at, const, within, notes, dtype=dtype, **shared)
    if tolerance is not None:
        raise GradcliError("usage", "--tolerance is for several formulas", hint="give a second one")
    if dtypes is None:
        return modes_compared(texts[0], at, const, timed, notes, dtype=dtype, **shared)
    if dtype is not None or rounds is not None:
        raise GradcliError("usage", f"--{'dtype' if rounds is None else 'rounds'} does not go together with --dtypes")
    return dtypes_compared(texts[0], at, const, names_of(dtypes), notes, **shared)


COMMAND = Command(
    "compare", compare, "Grad modes, dtypes, or formulas that should be the same, side by side.",
    "expression", "Expression or snippet; several are compared with each other. @FILE reads a file, - standard input.",
    (
        AT, CONST,
        Option("dtypes", ("--dtypes",), "Compare these dtypes, such as float64,float32,bfloat16,float16.",
               metavar="LIST"),
        DTYPE, DEVICE, SEED,
        Option("rounds", ("--rounds",), "How often each grad mode is timed, 0 for not at all; without it, as often as "
               "tells.", int, metavar="N"),
        Option("tolerance", ("--tolerance",), "Relative difference that formulas may have; without it, 16 units of the "
               "last place.", float, metavar="R"),
        MAX_MEMORY, VERIFY,
    ),
    (
        'gradcli compare "sin(A)*exp(A)" --at "A=randn(300,300)"',
        'gradcli compare "A*exp(A)" --at 12 --dtypes float64,float32,bfloat16,float16',
        'gradcli compare "log(1+exp(A))" "F.softplus(A)" --at 1000',
    ),
    several=True,
    formats=("table", "json", "csv", "markdown"),
)  # fmt: skip
