"""What `compare --dtypes` makes of one expression: the same point in each dtype, and the errors against float64."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradcli.commands.answering import attempted
from gradcli.commands.asking import request_of
from gradcli.compared import Comparison, without_grads
from gradcli.compared_dtypes import DtypeColumn, tables_of
from gradcli.errors import GradcliError

if TYPE_CHECKING:
    from gradcli.engine.comparing.dtypes import InDtype


def names_of(dtypes: Any) -> tuple[str, ...]:
    """The names in `--dtypes`, each once. Raises GradcliError of kind usage where there is none."""
    given = dtypes.split(",") if isinstance(dtypes, str) else dtypes if isinstance(dtypes, (list, tuple)) else [dtypes]
    names = tuple(dict.fromkeys(name for one in given if (name := str(one).strip().removeprefix("torch."))))
    if not names:
        raise GradcliError("usage", "--dtypes is empty", hint="write --dtypes float64,float32,bfloat16,float16")
    return names


def dtypes_compared(
    expression: str, at: Any, const: Any, names: tuple[str, ...], notes: bool, **options: Any
) -> Comparison:
    """The comparison of dtypes, with its verdict on errors and on what was lost."""
    request = request_of(expression, at, const, mode="grad", backward=True, dtype=None, notes=notes, **options)

    from gradcli.diagnosis.comparing.dtypes import notes_on, verdict_on
    from gradcli.diagnosis.notes import diagnose
    from gradcli.engine.comparing.dtypes import compare_dtypes
    from gradcli.engine.inputs import dtype_of

    kinds = [kind for name in names if (kind := dtype_of(name)) is not None]
    complex_ones = [name for name, kind in zip(names, kinds, strict=True) if kind.is_complex]
    if complex_ones:
        hint = "complex inputs take the complex dtype of each"
        raise GradcliError("usage", f"--dtypes takes real dtypes, not {complex_ones[0]}", hint=hint)
    found, untold = attempted(request, lambda request: compare_dtypes(request, kinds))
    columns = tuple(_column(name, one) for name, one in zip(names, found, strict=True))
    outcome = next(one.attempt.outcome for one in found if one.attempt.outcome is not None)
    told = (*(diagnose(outcome) if notes else ()), *notes_on(found))
    title = " ".join(expression.split())
    return Comparison(
        expression, "dtypes", verdict_on(found, untold), without_grads(outcome.inputs), columns, told, title,
        lambda: tables_of(columns),
    )  # fmt: skip


def _column(name: str, one: InDtype) -> DtypeColumn:
    outcome, refusal = one.attempt.outcome, one.attempt.refusal
    inputs = outcome.inputs if outcome is not None else {}
    return DtypeColumn(
        name,
        outcome.outputs if outcome is not None else (),
        {key: view.grad for key, view in inputs.items() if view.origin != "constant"},
        one.errors,
        refusal.message if refusal is not None else None,
    )
