"""What `compare` makes of one expression: grad, no_grad, inference mode and detached inputs, measured side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gradcli.commands.answering import attempted
from gradcli.commands.asking import request_of
from gradcli.compared import Comparison
from gradcli.compared_modes import ModeColumn, tables_of
from gradcli.errors import GradcliError
from gradcli.results import Note

if TYPE_CHECKING:
    from gradcli.engine.comparing.modes import Way

MOST_ROUNDS = 10_000


def rounds_of(rounds: Any) -> int | None:
    """A checked number of rounds. Raises GradcliError of kind usage."""
    if rounds is None or (isinstance(rounds, int) and not isinstance(rounds, bool) and 0 <= rounds <= MOST_ROUNDS):
        return rounds
    raise GradcliError("usage", f"--rounds is a whole number from 0 to {MOST_ROUNDS:,}, not {rounds!r}")


def modes_compared(expression: str, at: Any, const: Any, rounds: int | None, notes: bool, **options: Any) -> Comparison:
    """The comparison of grad modes, with its verdict on time and memory."""
    request = request_of(expression, at, const, mode="grad", backward=True, notes=notes, **options)

    from gradcli.diagnosis.comparing.modes import notes_on_ways, verdict_on
    from gradcli.engine.comparing.modes import compare_modes

    ways = attempted(request, lambda request: compare_modes(request, rounds))
    found = tuple(notes_on_ways(ways, notes))
    columns = tuple(_column(way, found) for way in ways)
    inputs = next(one.attempt.outcome.inputs for one in ways if one.attempt.outcome is not None)
    verdict = verdict_on(ways)
    title = " · ".join(filter(None, [" ".join(expression.split()), options["dtype"] and str(options["dtype"])]))
    return Comparison(expression, "modes", verdict, inputs, columns, found, title, lambda: tables_of(columns))


def _column(way: Way, notes: Sequence[Note]) -> ModeColumn:
    from gradcli.diagnosis.comparing.modes import why_none

    outcome = way.attempt.outcome
    inputs = outcome.inputs if outcome is not None else {}
    return ModeColumn(
        way.name,
        outcome.outputs if outcome is not None else (),
        {name: one.grad for name, one in inputs.items() if one.origin != "constant"},
        why_none(way, notes),
        way.attempt.refusal.message if way.attempt.refusal is not None else None,
        way.inference, way.nodes,
        None if way.saved is None else way.saved.total, None if way.saved is None else way.saved.beside,
        way.forward, way.backward,
    )  # fmt: skip
