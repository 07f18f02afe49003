"""Upstream gradients by a dot product give what torch gives where it is handed them, to the last bit."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch

from gradcli.engine.pulling import COMPARES, pulled

OUTPUTS: list[tuple[Any, torch.dtype]] = [
    (lambda x: [x.sin() * 3], torch.float32),
    (lambda x: [x.exp(), (x * x).sum()], torch.float64),
    (lambda x: [x.sqrt()], torch.bfloat16),
    (lambda x: [x / 0], torch.float32),
    (lambda x: [x.log() * float("nan")], torch.float32),
    (lambda x: [(x * 1e30) ** 2], torch.float32),
    (lambda x: [x[:, :1].expand(3, 4).t()], torch.float32),
]


@pytest.mark.parametrize(("make", "dtype"), OUTPUTS)
def test_the_same_as_torch(make: Any, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    x = (torch.rand(3, 4, dtype=torch.float64) + 0.1).to(dtype).requires_grad_()
    outputs = make(x)
    vectors = [torch.randn(one.shape, dtype=torch.float64).to(dtype) for one in outputs]
    true = torch.autograd.grad(outputs, [x], vectors, retain_graph=True)
    monkeypatch.delitem(sys.modules, COMPARES, raising=False)
    for mode in (torch.no_grad, torch.inference_mode, torch.enable_grad):
        with mode():
            (found,) = pulled(outputs, [x], vectors, retain_graph=True)
        torch.testing.assert_close(found, true[0], rtol=0, atol=0, equal_nan=True)


def test_one_number_needs_no_vector_and_several_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, COMPARES, raising=False)
    x = torch.ones(3, requires_grad=True)
    (found,) = pulled([(x * 2).sum()], [x], [None])
    assert found.tolist() == [2.0] * 3
    with pytest.raises(RuntimeError, match="scalar outputs"):
        pulled([x * 2], [x], [None])


def test_a_gradient_has_a_graph_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, COMPARES, raising=False)
    x = torch.tensor([2.0], requires_grad=True)
    (slope,) = pulled([x**3], [x], [torch.ones(1)], create_graph=True)
    (bend,) = pulled([slope], [x], [torch.ones(1)])
    assert bend.tolist() == [12.0]
