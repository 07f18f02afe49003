"""What a custom autograd.Function owes torch, and how it shows that it does not give it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from gradcli.engine.checking.second import ONCE
from gradcli.engine.checking.verdict import Verdict
from gradcli.engine.checking.witnesses import Witnesses
from gradcli.engine.defaults import tensors
from gradcli.engine.failures import torch_message

_COUNT = re.compile(r"(\w*?)(?:Backward)? returned an incorrect number of gradients \(expected (\d+), got (\d+)\)")
_SHAPE = re.compile(r"(\w*?)(?:Backward)? returned an invalid gradient at index (\d+) - got (\[.*?\]) but .* (\[.*\])")
_TYPE = re.compile(r"expected Variable or None \(got (\w+)\)")
_MISSING = re.compile(r"must implement either the backward|Expected isFloatingType")
_SAVED = re.compile(r"modified by an inplace operation")

CLOSE = 1e-3  # relative: an error that single precision may explain


def broken(error: Exception, names: tuple[str, ...]) -> Verdict:
    """The verdict on a backward that torch refused, or that raised."""
    text = torch_message(error)
    if found := _COUNT.search(text):
        said = (
            f"{_owner(found[1])} backward returns {found[3]} gradient{'s' * (found[3] != '1')}, and its forward takes"
        )
        return Verdict(False, f"{said} {found[2]} input{'s' * (found[2] != '1')}", "G209")
    if found := _SHAPE.search(text):
        which = int(found[2])
        name = names[which] if which < len(names) else f"input {which}"
        said = (
            f"{_owner(found[1])} backward returns a gradient of shape {found[3]} for {name}, which has shape {found[4]}"
        )
        return Verdict(False, said, "G209", name if name in names else None)
    if found := _TYPE.search(text):
        return Verdict(False, f"its backward returns a {found[1]} where a tensor or None is due", "G209")
    if ONCE.search(text):
        return Verdict(False, f"it has no second derivative: {text}", "G206")
    code = "G209" if _MISSING.search(text) else "G202" if _SAVED.search(text) else None
    return Verdict(False, f"its backward fails: {type(error).__name__}: {text}", code)


def _owner(name: str) -> str:
    return f"{name}'s" if name else "its"


def named(verdict: Verdict, witnesses: tuple[Witnesses, ...], custom: str | None) -> Verdict:
    """A custom Function whose backward gives None where the value does depend on the input breaks its protocol."""
    silent = next((one for one in witnesses if one.name == verdict.input and one.reverse is None), None)
    if verdict.passed is not False or verdict.code or silent is None or custom is None:
        return verdict
    slope = silent.numeric[verdict.element or 0]
    reason = f"{custom}'s backward returns None for {silent.name}, and the value does depend on it: differences give {slope.value:.6g}"
    return replace(verdict, reason=reason, code="G209")


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
