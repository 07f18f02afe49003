"""Inputs of eight bits, which torch stores and hardly computes with, are answered by every command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import gradcli

COMMANDS = (
    gradcli.grad, gradcli.evaluate, gradcli.trace, gradcli.graph, gradcli.compare, gradcli.check, gradcli.jacobian,
    gradcli.hessian,
)  # fmt: skip
DTYPES = (torch.float8_e5m2, torch.float8_e4m3fn)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("ask", COMMANDS, ids=lambda one: one.__name__)
def test_a_command_answers(ask: Callable[..., Any], dtype: torch.dtype) -> None:
    options: dict[str, Any] = {"rounds": 0} if ask is gradcli.compare else {}
    answer = ask("A.float()*2", at=torch.tensor([1.5, 2.5]).to(dtype), **options)
    assert str(answer)
    assert all(note.level == "info" for note in answer.notes)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_loss_scale_tells_what_is_lost(dtype: torch.dtype) -> None:
    answer = gradcli.grad("A.float()*2", at=torch.tensor([1.5, 2.5]).to(dtype), loss_scale=4)
    grad = answer.inputs["A"].grad
    assert grad is not None
    assert grad.float().tolist() == [2.0, 2.0]
