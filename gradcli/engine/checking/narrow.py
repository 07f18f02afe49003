"""Less than double precision inside the user's own function: seen, and told where it explains a small difference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from gradcli.engine.checking.verdict import Verdict
from gradcli.engine.checking.witnesses import Witnesses
from gradcli.engine.defaults import tensors

CLOSE = 1e-3  # relative: an error that single precision may explain


class Narrow(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Watches torch's operations, also those of a backward pass, for results of less than double precision."""

    dtype: torch.dtype | None = None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        del types
        found = func(*args, **(kwargs or {}))
        for one in tensors(found):
            if one.is_floating_point() and one.dtype != torch.float64:
                self.dtype = one.dtype
        return found

    @property
    def name(self) -> str:
        return str(self.dtype).removeprefix("torch.")


def narrowed(verdict: Verdict, witnesses: tuple[Witnesses, ...], ahead: Narrow, back: Narrow) -> Verdict:
    """A small difference where single precision is inside says nothing of the derivative, or where it is lost."""
    if verdict.passed and ahead.dtype is not None:
        return replace(
            verdict, reason=f"{verdict.reason}; it computes in {ahead.name} inside, and they resolve no more than that"
        )
    where = "forward" if ahead.dtype is not None else "backward" if back.dtype is not None else None
    one = next((one for one in witnesses if one.name == verdict.input), None)
    if verdict.passed or where is None or one is None or verdict.element is None:
        return verdict
    have, slope = one.taken[verdict.element], one.numeric[verdict.element]
    size = max(abs(have), *(abs(other.value) for other in one.numeric if other.value == other.value), 1e-300)
    if abs(have - slope.value) > CLOSE * size + 20 * slope.accuracy:
        return verdict
    if where == "forward":
        reason = f"it computes in {ahead.name} inside, whose rounding differences see: {verdict.reason}"
        return replace(verdict, passed=None, reason=reason, code=None)
    return replace(verdict, reason=f"its backward computes in {back.name}: {verdict.reason}")
