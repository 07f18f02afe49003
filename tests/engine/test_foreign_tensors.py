"""Tensors that are passed in are never modified, whatever the program writes, and never share a graph with it."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import gradcli

T = torch.tensor

WRITING: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("A.sin_()", {}, {"A": T([-1.0, 2.0])}),
    ("A += 1\nA*2", {}, {"A": T([-1.0, 2.0])}),
    ("A[0] = 5\nA*2", {}, {"A": T([-1.0, 2.0])}),
    ("A.data.add_(1)\nA*2", {"A": T([-1.0, 2.0])}, {}),
    ("A.detach().mul_(3)\nA*2", {"A": T([-1.0, 2.0])}, {}),
    ("B = A.detach()\nB[0] = 5\nB*A", {"A": T([-1.0, 2.0])}, {}),
    ("with torch.no_grad():\n    A.add_(1)\nA*2", {"A": T([-1.0, 2.0])}, {}),
    ("with torch.no_grad():\n    A.T.add_(1)\nA*2", {"A": T([[-1.0, 2.0]])}, {}),
    ("A.requires_grad_(False)\nA*2", {"A": T([-1.0, 2.0])}, {}),
    ("A.requires_grad_()\nA*2", {}, {"A": T([-1.0, 2.0])}),
    ("A.zero_()", {}, {"A": T([1, 2])}),
    ("F.relu(A, inplace=True)", {}, {"A": T([-1.0, 2.0])}),
    ("F.relu(A, True)", {}, {"A": T([-1.0, 2.0])}),
    ("with torch.no_grad():\n    B = F.relu(A, True)\nA*2", {"A": T([-1.0, 2.0])}, {}),
    ("F.elu(A, 1.0, True)", {}, {"A": T([-1.0, 2.0])}),
    ("F.silu(A, True)", {}, {"A": T([-1.0, 2.0])}),
    ("F.threshold(A, 0, 1, True)", {}, {"A": T([-1.0, 2.0])}),
    ("F.hardtanh(A, -1, 1, True)", {}, {"A": T([-3.0, 2.0])}),
    ("F.dropout(A, 0.9, True, True)", {}, {"A": T([-1.0, 2.0])}),
    ("F.embedding(I, W, max_norm=0.5)", {"W": T([[3.0, 4.0]])}, {"I": T([0])}),
    ("F.embedding(I, W, None, 0.5)", {"W": T([[3.0, 4.0]])}, {"I": T([0])}),
    ("F.batch_norm(A, M, V, training=True)", {"A": T([[3.0], [1.0]])}, {"M": T([0.0]), "V": T([1.0])}),
    ("F.instance_norm(A, M, V)", {"A": T([[[3.0, 4.0]]])}, {"M": T([0.0]), "V": T([1.0])}),
]


@pytest.mark.parametrize(("text", "at", "const"), WRITING, ids=[text for text, _, _ in WRITING])
def test_a_write_does_not_reach_the_callers_tensor(text: str, at: dict[str, Any], const: dict[str, Any]) -> None:
    before = {name: value.clone() for name, value in {**at, **const}.items()}
    for _ in range(2):
        gradcli.grad(text, at=at, const=const)
    for name, value in {**at, **const}.items():
        assert torch.equal(value, before[name]), name
        assert not value.requires_grad
        assert value.grad is None


def test_each_evaluation_starts_afresh() -> None:
    A = torch.tensor([1.0, 2.0])
    text = "B = A.detach()\nB.add_(1)\n(B*A).sum()"
    assert gradcli.grad(text, at=A).output.value == gradcli.grad(text, at=A).output.value


def test_a_parameter_keeps_its_own_gradient() -> None:
    weight = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    weight.grad = torch.tensor([7.0, 7.0])
    answer = gradcli.grad("weight**2", at={"weight": weight})
    assert answer.inputs["weight"].grad.tolist() == [2.0, 4.0]  # type: ignore[union-attr]
    assert weight.grad.tolist() == [7.0, 7.0]
    assert weight.requires_grad


def test_a_computed_tensor_becomes_a_leaf_of_its_own() -> None:
    leaf = torch.tensor(3.0, requires_grad=True)
    computed = leaf * 2
    answer = gradcli.grad("A*5", at=computed)
    assert answer.inputs["A"].is_leaf
    assert answer.inputs["A"].grad == 5.0
    assert leaf.grad is None
    assert computed.grad_fn is not None


def test_a_large_tensor_is_not_copied_where_nothing_is_written() -> None:
    A = torch.ones(100_000)
    answer = gradcli.grad("A*2", at=A)
    assert answer.inputs["A"].value.data_ptr() == A.data_ptr()
    written = gradcli.grad("B = A*1\nB += 1\nB", at=A)
    assert written.inputs["A"].value.data_ptr() != A.data_ptr()


def test_an_upstream_tensor_is_left_alone() -> None:
    upstream = torch.tensor([1.0, 0.5])
    answer = gradcli.grad("A*2", at=[1.0, 2.0], upstream=upstream)
    assert answer.inputs["A"].grad.tolist() == [2.0, 1.0]  # type: ignore[union-attr]
    assert upstream.tolist() == [1.0, 0.5]
    assert not upstream.requires_grad


def test_the_callers_grad_mode_neither_matters_nor_changes() -> None:
    with torch.no_grad():
        assert gradcli.grad("A*5", at=2.0).inputs["A"].grad == 5.0
        assert not torch.is_grad_enabled()
    with torch.inference_mode():
        assert gradcli.grad("A*5", at=2.0).inputs["A"].grad == 5.0
        assert torch.is_inference_mode_enabled()
    gradcli.evaluate("A*5", at=2.0, mode="no_grad")
    assert torch.is_grad_enabled()


def test_a_refusal_inside_a_block_leaves_the_grad_mode_as_it_was() -> None:
    with pytest.raises(gradcli.GradcliError):
        gradcli.grad("with torch.no_grad():\n    A @ B", at={"A": [1.0, 2.0], "B": [1.0, 2.0, 3.0]})
    assert torch.is_grad_enabled()


def test_a_tensor_made_in_inference_mode_may_be_passed_in() -> None:
    with torch.inference_mode():
        A = torch.tensor([1.0, 2.0])
    assert gradcli.grad("A**2", at=A).inputs["A"].grad.tolist() == [2.0, 4.0]  # type: ignore[union-attr]
    assert gradcli.grad("A*B", at=2.0, const={"B": A}).inputs["A"].grad == 3.0
