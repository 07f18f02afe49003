"""A question asked again: what was read and checked of its text and options is kept, and only the values are new."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gradcli.commands.asking import request_of
from gradcli.language.values import Given

if TYPE_CHECKING:
    from gradcli.engine.recording import Request

_WORDED = (str, dict, tuple)  # values that are read, each in its own way


def asked(expression: str, at: Any, const: Any, *, upstream: Any = None, **options: Any) -> Request:
    """A checked request, as `request_of` makes it: from one that was made before, where only values differ.

    Values that are written as text are read anew, and so are constants, a gradient to go back with, and options that
    are lists.
    """
    if const is None and upstream is None:
        try:
            if type(at) is dict:
                if not any(isinstance(one, _WORDED) for one in at.values()):
                    return _with_values(_form(expression, tuple(at), **options), at.values())
            elif at is None:
                return _form(expression, (), **options)
            elif not isinstance(at, _WORDED):
                return _with_values(_form(expression, None, **options), (at,))
        except TypeError:  # an option that cannot be looked up
            pass
    return request_of(expression, at, const, upstream=upstream, **options)


def _with_values(form: Request, values: Any) -> Request:
    given = tuple([Given(one[0], value) for one, value in zip(form.given, values, strict=True)])
    return type(form)._make((form.program, given, *form[2:]))  # _replace takes five times as long


@lru_cache(maxsize=1024, typed=True)
def _form(expression: str, names: tuple[Any, ...] | None, **options: Any) -> Request:
    """A request whose values are yet to come, under these names; None for one value that has no name."""
    return request_of(expression, 0.0 if names is None else dict.fromkeys(names, 0.0), None, **options)
