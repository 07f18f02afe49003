"""A request to an Answer: what every command that evaluates shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from gradcli.commands.again import form_of
from gradcli.commands.asking import request_of
from gradcli.errors import GradcliError
from gradcli.results import Answer, Asked, Note

if TYPE_CHECKING:
    from gradcli.engine.gradient import Outcome
    from gradcli.engine.recording import Request
    from gradcli.extras import Extra

Found = TypeVar("Found")
Pass = Callable[["Request"], "tuple[Outcome, Extra | None]"]
"""What to do with a request: the engine's way through it, and what that adds to the answer."""


def answer(
    command: str, expression: str, at: Any, const: Any, *, notes: bool, upstream: Any = None,
    way: Pass | None = None, **options: Any,
) -> Answer:  # fmt: skip
    """Check, evaluate, diagnose. Errors of torch carry the text that they are about, and their diagnosis code."""
    again = form_of(expression, at, const, upstream, notes=notes, **options)
    if again is None:
        request = request_of(expression, at, const, upstream=upstream, notes=notes, **options)
    else:
        form, values = again
        if way is None and (found := form.answer(command, values)) is not None:
            return found
        request = form.request(values)
    outcome, extra = attempted(request, way or _once)
    found = answer_of(command, outcome, notes, extra)
    if again is not None and way is None:
        form.learn(outcome, found)
    return found


def attempted(request: Request, make: Callable[[Request], Found]) -> Found:
    """What is made of a request; an error that comes of it carries the text, and its diagnosis code."""
    try:
        return make(request)
    except GradcliError as error:
        from gradcli.diagnosis.refusals import with_code

        if error.span is not None and error.source is None:
            error.source = request.program.source
        raise with_code(error, request) from error.__cause__


def answer_of(
    command: str, outcome: Outcome, notes: bool, extra: Extra | None = None, further: Iterable[Note] = ()
) -> Answer:
    """The answer that an outcome gives; `further`: notes of the command's own."""
    found: tuple[Note, ...] = ()
    if notes:
        found = _diagnosing()(outcome)
        if extra is not None or further:
            found = (*found, *_extra_notes(outcome, extra), *further)
    request = outcome.request
    kind, device = request.dtype, request.settings.device
    asked = Asked(
        None if kind is None else str(kind).removeprefix("torch."), None if device is None else str(device),
        request.seed, request.reduce, request.upstream, request.wrt,
    )  # fmt: skip
    inputs, outputs = outcome.inputs, outcome.outputs
    return Answer(command, request.program, request.mode, inputs, outputs, found, asked, request.given, extra)


# What needs torch is imported once: an import within a function takes as long as a small addition, each time.


@cache
def _diagnosing() -> Callable[[Outcome], tuple[Note, ...]]:
    from gradcli.diagnosis.notes import diagnose

    return diagnose


@cache
def _differentiating() -> Callable[[Request], Outcome]:
    from gradcli.engine.gradient import differentiate

    return differentiate


def _extra_notes(outcome: Outcome, extra: Extra | None) -> Iterable[Note]:
    if extra is None:
        return ()
    from gradcli.diagnosis.extras import notes_on

    return notes_on(outcome, extra)


def _once(request: Request) -> tuple[Outcome, None]:
    return _differentiating()(request), None
