"""One way of a comparison: its evaluation, and what torch refused of it. One refusal leaves the other ways standing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gradcli.engine.gradient import Outcome, differentiate
from gradcli.engine.recording import Request
from gradcli.errors import GradcliError


class Attempt(NamedTuple):
    """An evaluation with its gradients; `refusal` is torch's, of the way back alone where there is an outcome."""

    request: Request
    outcome: Outcome | None
    refusal: GradcliError | None = None


def attempt(request: Request, evaluate: Callable[[Request], Outcome] = differentiate) -> Attempt:
    """Evaluate and go back; where torch refuses the way back, what the way forward gave."""
    try:
        return Attempt(request, evaluate(request))
    except GradcliError as error:
        if error.source is None and error.span is not None:
            error.source = request.program.source  # of this way: others may have other texts
        if error.kind != "torch":
            raise
        refusal = error
    if request.backward:
        try:
            return Attempt(request, evaluate(request._replace(backward=False)), refusal)
        except GradcliError:
            pass
    return Attempt(request, None, refusal)


def not_all_refused(attempts: Sequence[Attempt]) -> None:
    """Raise the first refusal where no way has a value to compare."""
    if all(one.outcome is None for one in attempts):
        refusal = attempts[0].refusal
        assert refusal is not None
        raise refusal
