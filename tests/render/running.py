"""Generated scripts, run: what their variables hold in the end, and what they print."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Iterator
from typing import Any

import torch

from gradcli import render
from gradcli.results import Answer


def script_of(answer: Any) -> str:
    """The script that `--format code` writes for an answer."""
    return "".join(render.pieces("code", answer, render.Style()))


def run(script: str) -> tuple[dict[str, Any], str]:
    """Run a script of ours; its variables, and what it printed. torch's defaults are put back."""
    variables: dict[str, Any] = {}
    printed = io.StringIO()
    with _defaults(), contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(script, "<generated>", "exec"), variables)
    return variables, printed.getvalue()


@contextlib.contextmanager
def _defaults() -> Iterator[None]:
    dtype = torch.get_default_dtype()
    with torch.random.fork_rng():
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)
            torch.set_default_device(None)


def same(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    """Whether two tensors hold the same bits, NaN where NaN is."""
    if one is None or other is None:
        return one is other
    try:
        torch.testing.assert_close(one.detach(), other.detach(), rtol=0, atol=0, equal_nan=True)
    except AssertionError:
        return False
    return True


def differences(answer: Answer) -> list[str]:
    """What a script's variables hold that is not what the answer says: nothing, where the script is right."""
    script = script_of(answer)
    variables, _ = run(script)
    found = []
    for view in answer.inputs.values():
        held = variables.get(f"{view.name}_input", variables[str(view.name)])
        gradient = held.grad if held.is_leaf else None
        if not (same(held, view.value) and same(gradient, view.grad) and held.requires_grad == view.requires_grad):
            found.append(f"{view.name}: {held}, grad {gradient}, instead of {view.value}, grad {view.grad}")
    names = [answer.program.outputs[0].name or "result"]
    if len(answer.outputs) > 1:
        names = [f"result_{index}" for index in range(1, len(answer.outputs) + 1)]
    for name, view in zip(names, answer.outputs, strict=True):
        held = variables.get(f"{name}_", variables.get(name))
        if held is None or not same(held, view.value) or held.requires_grad != view.requires_grad:
            found.append(f"{name}: {held} instead of {view.value}")
    return [*found, script] if found else []
