"""Calls as torch's users write them, beside the same line in Python: named tuples, functions as arguments, storage."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F

import gradcli
from gradcli.language.parser import parse

A = torch.tensor([[4.0, 1.0], [2.0, 3.0]])
NAMES = {"torch": torch, "F": F, "A": A, "ones": torch.ones}

# Each line means in gradcli what it means in Python.
SAME = [
    "torch.linalg.svd(A).S", "torch.linalg.eigh(A)[1]", "torch.topk(A, 1).indices", "A.sort(descending=True).values",
    "torch.frexp(A).exponent", "torch.log(A + torch.finfo(torch.float32).eps)", "A*torch.finfo(A.dtype).tiny",
    "A*torch.iinfo(torch.int8).max", "torch.ones(torch.broadcast_shapes((2, 1), (1, 2)))*A",
    "A.to(torch.promote_types(torch.float16, torch.float64))", "A*torch.can_cast(torch.float64, torch.float16)",
    "torch.zeros(2, layout=torch.strided, pin_memory=False) + A", "torch.ones_like(A, layout=torch.strided)*A",
    "F.max_pool1d(A, 2, return_indices=True)", "torch.max_pool1d(A, 2)", "torch.adaptive_max_pool1d(A, 1)",
    "F.triplet_margin_with_distance_loss(A, A.flip(0), A*2, distance_function=F.pairwise_distance)",
    "F.triplet_margin_with_distance_loss(A, A.flip(0), A*2, distance_function=torch.cosine_similarity)",
    "torch.dropout(A, 0.0, True)", "torch.embedding(A, torch.tensor([1, 0]))", "torch.kl_div(A, A*2, 0)",
    "torch.relu_(A.clone())", "torch.sin_(A.clone())", "F.relu(A.clone(), True)", "F.elu_(A.clone(), 0.5)",
    "torch.gru_cell(A, A, torch.ones(6, 2), torch.ones(6, 2))", "torch.nuclear_norm(A)",
    "torch.lstm(A[None], (A[None, :1], A[None, 1:]), [ones(8, 2), ones(8, 2)], False, 1, 0.0, False, False, True)",
    "torch.frobenius_norm(A, (0, 1))",
    "torch.softmax(A, dim=1, dtype=torch.float64)", "F.softmax(A, dim=1)", "A.softmax(-1)", "torch.where(A > 2, A, 0)",
    "A.where(A > 2, A*2)", "torch.polygamma(1, A)", "A.polygamma(1)", "torch.range(1, 2) + A",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*deprecated")
@pytest.mark.parametrize("text", SAME)
def test_a_line_of_torch_means_the_same(text: str) -> None:
    wanted = eval(text, NAMES)  # the lines above, not a user's
    answer = gradcli.evaluate(text, at={"A": A})
    parts = wanted if isinstance(wanted, tuple) else (wanted,)
    assert len(answer.outputs) == len(parts)
    assert all(torch.equal(one.value, part) for one, part in zip(answer.outputs, parts, strict=True))


@pytest.mark.parametrize(
    ("bare", "full"),
    [
        ("max_pool2d(A, 2, return_indices=True)", "F.max_pool2d(A, 2, return_indices=True)"),
        ("conv1d(A, B, padding='same')", "F.conv1d(A, B, padding='same')"),
        ("dropout(A)", "F.dropout(A)"),
        ("relu(A)", "torch.relu(A)"),
        ("softmax(A, 0)", "torch.softmax(A, 0)"),
        ("sin_(A.clone())", "torch.sin_(A.clone())"),
    ],
)
def test_a_bare_name_means_the_first_place_of_its_row(bare: str, full: str) -> None:
    assert parse(bare).steps == parse(full).steps


@pytest.mark.parametrize("options", [{"dtype": "float64"}, {"device": "cpu"}, {"dtype": "float64", "device": "cpu"}])
def test_normal_draws_take_the_default_dtype_only_where_torch_takes_one(options: dict[str, Any]) -> None:
    means = gradcli.evaluate("torch.normal(A, 1.0) + torch.normal(0.0, A)", at=[1.0, 2.0], **options)
    sizes = gradcli.evaluate("torch.normal(0.0, 1.0, (3,))", **options)
    assert means.output.dtype == sizes.output.dtype == options.get("dtype", "float32")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("F.triplet_margin_with_distance_loss(A, A, A, distance_function=torch.outer)", "distance_function is"),
        ("torch.relu(A, inplace=True)", "relu() has no argument 'inplace'"),
        ("torch.max_pool1d(A, 2, return_indices=True)", "max_pool1d() has no argument 'return_indices'"),
        ("torch.softmax(A)", "softmax() needs dim"),
        ("torch.dropout(A)", "dropout() needs p and train"),
        ("A.where(A > 0)", "where() needs other"),
        ("torch.sparse_coo_tensor(A, A)", "torch.sparse_coo_tensor() is left out: it belongs to sparse tensors"),
    ],
)
def test_a_call_that_torch_would_refuse_is_refused_before_it(text: str, message: str) -> None:
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.evaluate(text, at={"A": A})
    assert caught.value.message.startswith(message)
    assert caught.value.exit_code == 2
