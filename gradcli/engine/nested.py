"""Values nested in lists and tuples, as the operands of a step are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """A value with a function applied to what its lists and tuples hold, however deep; named tuples are not opened.

    >>> mapped(lambda one: one + 1, [1, (2, [3])])
    [2, (3, [4])]
    """
    if type(value) in (list, tuple):
        return type(value)(mapped(function, one) for one in value)
    return function(value)
