"""Which inputs a sweep goes over: those whose value is a range, and those that --over names."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from gradcli.errors import GradcliError
from gradcli.language.ranges import Range
from gradcli.language.values import Given

MOST = 2  # swept inputs: a curve, or a surface


def swept_inputs(given: Sequence[Given], origins: Mapping[str, str], over: Any) -> tuple[str, ...]:
    """The names of the swept inputs, in the order of the call.

    Raises GradcliError where there is none, more than two, or one that cannot be swept.
    """
    inputs = [one.name for one in given]
    asked = [over] if isinstance(over, str) else list(over or ())
    asked = [unicodedata.normalize("NFKC", str(name)) for name in asked]
    for name in asked:
        if name not in inputs:
            ranged = name.partition("=")[0] in inputs and "=" in name
            hint = f"a range is a value: --at {name}" if ranged else f"the inputs: {', '.join(inputs) or 'none'}"
            raise GradcliError("usage", f"--over names '{name}', which is not an input", hint=hint)
    found = [one for one in given if isinstance(one.data, Range) or one.name in asked]
    for one in found:
        if origins[one.name] == "constant":
            hint = f"--at {one.name}=... instead of --const"
            raise GradcliError("value", f"{one.name} is a constant, and what is swept requires grad", hint=hint)
    if not found:
        name = inputs[0] if inputs else "A"
        hint = f"--at {name}=-5:5:101, or --over {name} for a list of values"
        raise GradcliError("usage", "no input is swept: none has a range", hint=hint)
    if len(found) > MOST:
        names = ", ".join(one.name for one in found)
        raise GradcliError("usage", f"at most {MOST} inputs are swept at once, and these are {len(found)}: {names}")
    return tuple(one.name for one in found)
