"""Gradients that torch leaves sparse are read as the dense ones that they are."""

from __future__ import annotations

import pytest

from tests.command_line import ask

ASKED = (
    ("grad",), ("trace",), ("check",), ("jacobian",), ("hessian",), ("graph", "--values"), ("grad", "--order", "2"),
    ("grad", "--repeat", "2"), ("grad", "--repeat", "2", "--zero-grad"), ("grad", "--loss-scale", "8"),
    ("compare", "--dtypes", "float32,float64"), ("jvp", "--tangent", "W=[[1, 0], [0, 2], [0, 0]]"),
)  # fmt: skip
VALUES = ("--at", "W=[[1, 2], [3, 4], [5, 6]]", "--const", "i=[[0, 1], [2, 0], [0, 1]]")


@pytest.mark.parametrize(
    "text", ["F.embedding(i, W, sparse={}).sum()", "torch.gather(W*W, 0, i, sparse_grad={}).sum()"]
)
@pytest.mark.parametrize("words", ASKED, ids=" ".join)
def test_a_sparse_gradient_is_told_as_a_dense_one(words: tuple[str, ...], text: str) -> None:
    command, *options = words
    told = [ask(command, text.format(sparse), *VALUES, *options, "--format", "csv") for sparse in ("True", "False")]
    assert [one.code for one in told] == [0, 0], told[0].err
    assert told[0].out.replace("True", "False") == told[1].out.replace("True", "False")
