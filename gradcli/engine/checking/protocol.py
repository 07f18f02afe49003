"""What a custom autograd.Function owes torch, and how it shows that it does not give it."""

from __future__ import annotations

import re
from dataclasses import replace

from gradcli.engine.checking.second import ONCE
from gradcli.engine.checking.verdict import Verdict
from gradcli.engine.checking.witnesses import Witnesses
from gradcli.engine.failures import torch_message

_COUNT = re.compile(r"(\w*?)(?:Backward)? returned an incorrect number of gradients \(expected (\d+), got (\d+)\)")
_SHAPE = re.compile(r"(\w*?)(?:Backward)? returned an invalid gradient at index (\d+) - got (\[.*?\]) but .* (\[.*\])")
_TYPE = re.compile(r"expected Variable or None \(got (\w+)\)")
_MISSING = re.compile(r"must implement either the backward|Expected isFloatingType")
_SAVED = re.compile(r"modified by an inplace operation")


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
