"""Is the derivative right? Reverse mode, forward mode, finite differences and the exact derivative, side by side.

For outputs y and an input x the witnesses give ∂(Σ y)/∂xᵢ for every element i, in float64, in the shape of x:
reverse mode and forward mode as torch has them, central differences (f(x+h) - f(x-h)) / 2h with a step chosen by error
analysis, and where every step is known to it a computation with fifty digits. Each operator is also held alone
against fifty digits, at the operands that it really received.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gradcli.checked import Check, CheckedInput
from gradcli.commands.answering import attempted
from gradcli.commands.asking import request_of
from gradcli.commands.command import AT, CONST, MAX_MEMORY, SEED, Command, Option
from gradcli.commands.pairing import pairs, values_of
from gradcli.errors import GradcliError
from gradcli.results import Note, TensorView

if TYPE_CHECKING:
    import torch

    from gradcli.engine.checking.check import Checked
    from gradcli.engine.checking.witnesses import Witnesses

_NAMED = re.compile(r"(?P<where>(?:.+\.py)|(?:[A-Za-z_][\w.]*)):(?P<name>[A-Za-z_]\w*)")
TOLERANCE = 1e-9


def check(
    expression: str | Callable[..., Any], at: Any = None, const: Any = None, *, tolerance: float = TOLERANCE,
    second_order: bool = False, seed: int = 0, max_memory: Any = None, notes: bool = True,
) -> Check:  # fmt: skip
    """Check the derivative of an expression, or of a function of one's own, at a point.

    >>> gradcli.check("sin(A)", at=1.0).passed
    True

    Args:
        expression: text as for `gradcli.grad`; a function of tensors or an `autograd.Function`; or where to find one,
            `"file.py:name"` or `"package.module:name"`, which runs that code.
        at: values as for `gradcli.grad`; for a function by the names of its parameters. They are read in float64.
        const: values that are not differentiated.
        tolerance: the relative difference that counts as a mismatch, where differences can tell as much.
        second_order: whether to check the second derivative likewise.
        seed: the seed of random functions.
        max_memory: bytes, or text such as `"2GB"`, that an evaluation may take.
        notes: whether to say what is to be known about the answer.

    Returns a Check: `passed` is True, False, or None where the point cannot be judged; nothing is raised on a mismatch.
    Raises GradcliError: exit code 2 where the request is wrong, 3 where torch refuses the forward pass.
    Source: the error analysis of differences is that of Richardson's extrapolation to the limit.
    """
    if not 0 < tolerance < 1:
        raise GradcliError("usage", f"--tolerance is a number between 0 and 1, not {tolerance}")
    if callable(expression):
        shown = getattr(expression, "__name__", type(expression).__name__)
        return _check_function(expression, shown, at, const, tolerance, second_order, seed)
    if named := _named(expression):
        from gradcli.engine.checking.loading import load

        function = load(named["where"], named["name"])
        return _check_function(function, expression.strip(), at, const, tolerance, second_order, seed)
    return _check_text(expression, at, const, tolerance, second_order, seed, max_memory, notes)


def _named(text: str) -> re.Match[str] | None:
    """Where a text says that a function is, and its name; None for an expression."""
    return _NAMED.fullmatch(text.strip())


def _check_text(
    expression: str, at: Any, const: Any, tolerance: float, second_order: bool, seed: int, max_memory: Any, notes: bool
) -> Check:
    request = request_of(expression, at, const, mode="grad", dtype="float64", device=None, seed=seed, backward=True,
                         max_memory=max_memory)  # fmt: skip

    from gradcli.diagnosis.notes import diagnose
    from gradcli.engine.checking.check import check_request
    from gradcli.engine.gradient import differentiate
    from gradcli.engine.widening import widened

    request = request._replace(program=widened(request.program))
    outcome = attempted(request, differentiate)
    checked = attempted(request, lambda _: check_request(outcome, tolerance, second_order))
    found = tuple(note for note in diagnose(outcome) if note.code != "G201") if notes else ()
    return _answer(expression, checked, {name: view.origin for name, view in outcome.inputs.items()}, found)


def _check_function(
    function: Callable[..., Any], shown: str, at: Any, const: Any, tolerance: float, second_order: bool, seed: int
) -> Check:
    from gradcli.engine.checking.function import check_function
    from gradcli.engine.checking.loading import parameters
    from gradcli.engine.inputs import double_point
    from gradcli.engine.recording import drawing

    named = [name or "input" for values, option in ((at, "at"), (const, "const")) for name, _ in pairs(values, option)]
    given = values_of(at, const, parameters(function, named))
    with drawing(seed):
        point, remarks = double_point(given)
    by = tuple(one.name for one in given if not one.constant)
    checked = check_function(function, point, by, tolerance, second_order)
    origins = {one.name: "constant" if one.constant else "given" for one in given}
    return _answer(shown, checked, origins, tuple(Note(None, "info", text) for text in remarks))


def _answer(expression: str, checked: Checked, origins: Any, notes: tuple[Note, ...]) -> Check:
    from gradcli.diagnosis.catalogue import CATALOGUE

    verdict = checked.verdict
    if verdict.code:
        entry = CATALOGUE[verdict.code]
        notes = (*notes, Note(verdict.code, entry.level, f"{verdict.reason}.", None, verdict.input))
    notes = (*notes, *(Note(None, "info", text) for text in checked.remarks))
    inputs = {one.name: _input(one, checked, origins) for one in checked.witnesses}
    said = {True: "passed", False: "not passed", None: "not judged"}[verdict.passed]
    return Check(expression, verdict.passed, f"{said}: {verdict.reason}", inputs, notes)


def _input(one: Witnesses, checked: Checked, origins: Any) -> CheckedInput:
    import torch

    def shaped(values: Sequence[float | None] | None) -> torch.Tensor | None:
        if values is None:
            return None
        numbers = [math.nan if value is None else value for value in values]
        return torch.tensor(numbers, dtype=torch.float64).reshape(one.shape)

    reverse = shaped(one.reverse)
    origin = origins.get(one.name, "given")
    view = TensorView(one.name, one.name, checked.point[one.name], True, True, None, reverse, origin)
    numeric = shaped([slope.value for slope in one.numeric])
    accuracy = shaped([slope.accuracy for slope in one.numeric])
    assert numeric is not None
    assert accuracy is not None
    kinks = tuple(
        (index, slope.left, slope.right)
        for index, slope in enumerate(one.numeric)
        if slope.left is not None and slope.right is not None
    )
    return CheckedInput(view, reverse, shaped(one.forward), numeric, shaped(one.exact), accuracy, kinks, one.formula)


COMMAND = Command(
    "check", check, "Is the derivative right? Four witnesses and a verdict.",
    "expression", 'Expression, or FILE.py:NAME or package.module:NAME for a function of yours, which runs that code.',
    (
        AT, CONST,
        Option("tolerance", ("--tolerance",), "Relative difference that is a mismatch.", float, default=TOLERANCE),
        Option("second_order", ("--second-order",), "Check the second derivative too.", bool, default=False),
        SEED, MAX_MEMORY,
    ),
    ('gradcli check "torch.tanh(A)" --at 20', 'gradcli check "softmax(x, 0)[0]" --at "[1, 2, 3]"',
     "gradcli check layer.py:MyFunction --at x=[1,2] --at w=3"),
    formats=("table", "json", "csv", "markdown"), runs=lambda text: _named(text) is not None,
)  # fmt: skip
