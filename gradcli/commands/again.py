"""A question asked again: what was read and checked of its text and options is kept, and only the values are new."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gradcli.commands.asking import request_of
from gradcli.language.values import Given
from gradcli.results import Answer

if TYPE_CHECKING:
    from gradcli.diagnosis.plain import Plain
    from gradcli.engine.gradient import Outcome
    from gradcli.engine.recording import Request

_WORDED = (str, dict, tuple)  # values that are read, each in its own way


class Form:
    """A question whose values are yet to come, under the same names and with the same options each time."""

    def __init__(self, request: Request) -> None:
        self.blank = request
        self.plain: Plain | None = None
        self.asked = False

    def request(self, values: Collection[Any] | None) -> Request:
        """The checked request, with these values; None where there are none."""
        blank = self.blank
        if values is None:
            return blank
        given = tuple([Given(one[0], value) for one, value in zip(blank.given, values, strict=True)])
        return type(blank)._make((blank.program, given, *blank[2:]))  # _replace takes five times as long

    def answer(self, command: str, values: Collection[Any] | None) -> Answer | None:
        """The answer, where it is as plain as one before was; else None."""
        return None if self.plain is None or values is None else self.plain.answer(command, values)

    def learn(self, outcome: Outcome, answer: Answer) -> None:
        """Be told of an answer that was found the long way; the first may be the last, and teaches nothing."""
        if self.asked:
            from gradcli.diagnosis.plain import learnt

            self.plain = learnt(self.plain, outcome, answer)
        self.asked = True


def form_of(
    expression: str, at: Any, const: Any, upstream: Any, **options: Any
) -> tuple[Form, Collection[Any] | None] | None:
    """The form of a question, and the values that are given; None where it has to be read anew.

    So it is where values are written as text, and where there are constants, a gradient to go back with, or options
    that are lists. Raises GradcliError as `request_of` does.
    """
    if const is not None or upstream is not None:
        return None
    try:
        if type(at) is dict and at:
            values = at.values()
            if [True for one in values if isinstance(one, _WORDED)]:
                return None
            return _form(expression, tuple(at), **options), values
        if at is None or type(at) is dict:
            return _form(expression, (), **options), None
        return None if isinstance(at, _WORDED) else (_form(expression, None, **options), (at,))
    except TypeError:  # an option that cannot be looked up
        return None


@lru_cache(maxsize=1024, typed=True)
def _form(expression: str, names: tuple[Any, ...] | None, **options: Any) -> Form:
    """The form under these names; None for one value that has no name."""
    return Form(request_of(expression, 0.0 if names is None else dict.fromkeys(names, 0.0), None, **options))
