"""Texts as people write them: the numbers of plain torch, the codes of the table, and no others."""

from __future__ import annotations

import ast
from typing import Any

import pytest
import torch
import torch.nn.functional as F

import gradcli
from tests.diagnosis.further import ROWS, Row


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.text} {row.at} {row.dtype}"[:80] for row in ROWS])
@pytest.mark.filterwarnings("ignore")
def test_a_text_has_the_numbers_of_torch_and_its_own_codes(row: Row) -> None:
    wanted = [set(one.split("|")) for one in row.codes.lstrip("!").split()]
    asked: dict[str, Any] = {"at": row.at, "const": row.const, "dtype": row.dtype}
    if row.codes.startswith("!"):
        with pytest.raises(gradcli.GradcliError) as refused:
            gradcli.grad(row.text, **asked)
        assert refused.value.code in wanted[0]
        return
    found = gradcli.grad(row.text, **asked)
    value, grads = _plain(row)
    _same(found.output.value, value)
    for name, grad in grads.items():
        _same(found.inputs[name].grad, grad)
    codes = {note.code for note in found.notes if note.code and note.code != "G201"}
    assert all(codes & one for one in wanted), codes
    assert "*" in row.allowed or codes <= set().union(*wanted, row.allowed.split())


def _plain(row: Row) -> tuple[torch.Tensor, dict[str, torch.Tensor | None]]:
    """Value and gradients, as Python and torch have them."""
    dtype = getattr(torch, row.dtype)
    leaves = {name: torch.tensor(value, dtype=dtype).requires_grad_() for name, value in row.at.items()}
    consts = {name: torch.tensor(value) for name, value in row.const.items()}
    names: dict[str, Any] = {"torch": torch, "F": F, **leaves}
    names |= {name: one.to(dtype) if one.is_floating_point() else one for name, one in consts.items()}
    default, gone_back, value = torch.get_default_dtype(), False, None
    torch.set_default_dtype(dtype.to_real())
    try:
        for part in ast.parse(row.text).body:
            text = ast.unparse(part)
            if isinstance(part, ast.Expr) and not text.startswith("print"):
                found = eval(text, names)
                gone_back |= ".backward(" in text
                value = value if found is None else found
            elif not text.startswith("print"):
                exec(text, names)
                value = names.get(part.targets[0].id) if _names_one(part) else value  # type: ignore[attr-defined]
    finally:
        torch.set_default_dtype(default)
    result = torch.as_tensor(value)
    if result.requires_grad and not gone_back:
        result.sum().backward()
    return result, {name: leaf.grad for name, leaf in leaves.items()}


def _names_one(part: ast.stmt) -> bool:
    return isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name)


def _same(found: torch.Tensor | None, wanted: torch.Tensor | None) -> None:
    if found is None or wanted is None:
        assert found is wanted
        return
    torch.testing.assert_close(found, wanted.detach().to(found.dtype), rtol=1e-5, atol=0, equal_nan=True)
