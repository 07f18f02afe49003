"""What `compare` makes of several expressions: formulas at one point, where they part, and which of them is right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from gradcli.commands.answering import attempted
from gradcli.commands.asking import requests_of
from gradcli.compared import Comparison, without_grads
from gradcli.compared_formulas import FormulaColumn, Reference, labels_of, sections_of
from gradcli.errors import GradcliError
from gradcli.results import Note

if TYPE_CHECKING:
    from gradcli.engine.comparing.formulas import Formula


def tolerance_of(tolerance: Any) -> float | None:
    """A checked tolerance. Raises GradcliError of kind usage."""
    if tolerance is None or (isinstance(tolerance, (int, float)) and 0 <= tolerance < 1):
        return None if tolerance is None else float(tolerance)
    raise GradcliError("usage", f"--tolerance is a number from 0 to 1, not {tolerance!r}")


def refuse_beside_formulas(**options: Any) -> None:
    """Raise GradcliError of kind usage where an option was given that is for one expression."""
    for name, value in options.items():
        if value is not None:
            raise GradcliError("usage", f"--{name} is for one expression", hint="put the expression in quotes")


def formulas_compared(
    texts: Sequence[str], at: Any, const: Any, tolerance: float | None, notes: bool, **options: Any
) -> Comparison:
    """The comparison of formulas; a disagreement is its verdict, and a note of level warning."""
    if not texts:
        raise GradcliError("usage", "there is no expression to compare", hint="give one, or several formulas")
    requests = requests_of(texts, at, const, mode="grad", backward=True, notes=notes, **options)

    from gradcli.diagnosis.comparing.formulas import notes_on, verdict_on
    from gradcli.engine.comparing.formulas import compare_formulas

    found = attempted(requests[0], lambda _: compare_formulas(requests, tolerance))
    labels = labels_of(texts)
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    verdict = verdict_on(found, labels)
    told = tuple(notes_on(found, labels, starts[: len(texts)], notes))
    if found.kind != "agree":
        told = (*told, Note(None, "warning", verdict))
    columns = tuple(_column(*one) for one in zip(texts, labels, found.formulas, strict=True))
    reference = None if found.truth is None else Reference(found.truth.by, *found.truth.numbers)
    outcome = next(one.attempt.outcome for one in found.formulas if one.attempt.outcome is not None)
    title = str(options["dtype"] or "")
    return Comparison(
        "\n".join(texts), "formulas", verdict, without_grads(outcome.inputs), columns, told, title,
        lambda: sections_of(columns, reference), {"reference": reference.facts() if reference else None},
    )  # fmt: skip


def _column(text: str, label: str, formula: Formula) -> FormulaColumn:
    outcome, refusal = formula.attempt.outcome, formula.attempt.refusal
    program = formula.attempt.request.program
    inputs = outcome.inputs if outcome is not None else {}
    return FormulaColumn(
        text, label, outcome.outputs if outcome is not None else (),
        {name: view.grad for name, view in inputs.items() if view.origin != "constant"},
        tuple(name for name, view in inputs.items() if name not in program.inputs and view.origin != "inside"),
        formula.right, refusal.message if refusal is not None else None,
    )  # fmt: skip
