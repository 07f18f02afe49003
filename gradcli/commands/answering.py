"""A request to an Answer: what `grad` and `eval` share."""

from __future__ import annotations

from typing import Any

from gradcli.commands.asking import request_of
from gradcli.errors import GradcliError
from gradcli.results import Answer, Asked


def answer(
    command: str, expression: str, at: Any, const: Any, *, notes: bool, upstream: Any = None, **options: Any
) -> Answer:
    """Check, evaluate, diagnose. Errors of torch carry the text that they are about, and their diagnosis code."""
    request = request_of(expression, at, const, upstream=upstream, **options)

    from gradcli.diagnosis.notes import diagnose
    from gradcli.engine.gradient import differentiate

    try:
        outcome = differentiate(request)
    except GradcliError as error:
        from gradcli.diagnosis.refusals import with_code

        if error.span is not None and error.source is None:
            error.source = expression
        raise with_code(error) from error.__cause__
    asked = Asked(
        dtype=str(request.dtype).removeprefix("torch.") if request.dtype is not None else None,
        device=str(request.settings.device) if request.settings.device is not None else None,
        seed=request.seed, reduce=request.reduce, upstream=request.upstream, wrt=request.wrt,
    )  # fmt: skip
    found = diagnose(outcome) if notes else ()
    return Answer(command, request.program, request.mode, outcome.inputs, outcome.outputs, found, asked, request.given)
