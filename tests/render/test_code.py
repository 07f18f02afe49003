"""Generated scripts: they are plain PyTorch, and running one gives the same values, gradients and flags."""

from __future__ import annotations

import ast
from typing import Any

import pytest
import torch

import gradcli
from tests.render.running import differences, run, script_of

TABLE: list[tuple[str, dict[str, Any]]] = [
    ("A*5", {"at": 5.0}),
    ("A**2 + 16", {}),
    ("A**2 + 16", {"mode": "no_grad"}),
    ("A**2 + 16", {"mode": "inference"}),
    ("A*B + A", {"at": {"A": 2, "B": [3.0, 4.0]}}),
    ("A*B", {"at": [1.0, 2.0], "const": {"B": [1, 2]}}),
    ("A[B]", {"at": [1.0, 2.0], "const": {"B": [True, False]}}),
    ("A*B", {"at": 2.0, "const": {"B": "arange(3)"}}),
    ("A*B", {"at": 2.0, "const": {"B": "randn(3)"}, "dtype": "float64"}),
    ("A*B", {"at": {"A": 2.0, "B": 3.0}, "wrt": "A"}),
    ("A*5", {"at": {"A": 1.0, "B": 2.0}}),
    ("A*5", {"const": {"A": 2}}),
    ("A*5", {"at": "randn(3, 3)", "seed": 5}),
    ("A*randn(3)*B", {"at": {"A": "randn(3)", "B": "rand(3)"}, "seed": 5}),
    ("B - A", {"at": {"A": "randn(2)", "B": "randn(2)"}}),
    ("torch.manual_seed(3)\nA*randn(3)", {"at": 2.0}),
    ("F.dropout(A, 0.5)", {"at": [-1.0, 1.0, 2.0], "seed": 3}),
    ("A*5", {"at": 0.1, "dtype": "float16"}),
    ("A*5", {"at": 0.1, "dtype": "bfloat16"}),
    ("A*torch.tensor(0.1)*ones(2)", {"at": 0.1, "dtype": "float64"}),
    ("abs(A)", {"at": 0.1, "dtype": "complex64"}),
    ("abs(A*A)", {"at": [1 + 2j, 3 - 0j]}),
    ("A*5", {"at": [float("inf"), -float("inf"), float("nan"), -0.0, 1e-45, 3.4e38]}),
    ("A*inf - nan", {"at": 1.0}),
    ("A*5", {"at": [[], []]}),
    ("A*x", {"at": 3.0, "const": {"x": 2**62}}),
    ("A*5", {"at": [1.0, 2.0], "reduce": "mean"}),
    ("A*5", {"at": [1.0, 2.0], "upstream": [1.0, 0.5]}),
    ("A*5", {"at": [1.0, 2.0], "upstream": 2.0}),
    ("A*5", {"at": [1.0, 2.0], "upstream": [1.0, float("inf")]}),
    ("A*5", {"at": [1.0, 2.0], "upstream": "randn(2)"}),
    ("A*randn(2)*upstream", {"at": {"A": "randn(2)", "upstream": 1.0}, "upstream": "randn(2)", "seed": 4}),
    ("B = A*2\nB.backward(gradient=torch.tensor([1.0, 2.0]))", {"at": [3.0, 1.0]}),
    ("(A*5).backward()", {"at": [1.0, 2.0]}),
    ("A, A*2", {"at": [1.0, 2.0]}),
    ("A, A*randn(3)", {"at": 1.0}),
    ("B = A*1\nB, B.add_(1)", {"at": 3.0}),
    ("B = A*2\nB, A", {"at": 3.0}),
    ("A*2,", {"at": 3.0}),
    ("topk(A, 2)", {"at": [3.0, 1.0, 2.0]}),
    ("values, i = topk(A, 2)", {"at": [3.0, 1.0, 2.0]}),
    ("values, i = topk(A, 2)\nvalues.sum()", {"at": [3.0, 1.0, 2.0]}),
    ("torch.linalg.svd(A).S", {"at": [[1.0, 2.0], [3.0, 4.0]]}),
    ("a, b = A, B\na*b", {"at": {"A": 1.0, "B": 2.0}}),
    ("x = A*1\ny = B*1\nx, y = y, x\nx - 2*y", {"at": {"A": 1.0, "B": 2.0}}),
    ("a = b = A*randn(3)\na*b", {"at": 3.0}),
    ("a = b = A*1\nb += 1\na", {"at": 3.0}),
    ("A = A*2\nB = A*A", {"at": 3.0}),
    ("B = A\nA = B*2\nA*B", {"at": 2.0}),
    ("B = A.clone()\nB[0] = 5\nB", {"at": [1.0, 2.0]}),
    ("B = A.clone()\nB[0] += 5", {"at": [1.0, 2.0]}),
    ("B = A.clone()\nB += 5", {"at": [1.0, 2.0]}),
    ("B = A.clone()\nB.add_(5)", {"at": [1.0, 2.0]}),
    ("with torch.no_grad(): B = A**2 + 16", {"at": [5.0]}),
    ("with torch.no_grad():\n    A*2", {"at": [5.0]}),
    ("with torch.no_grad():\n    n = 3\nA*n", {"at": [5.0]}),
    ("with torch.no_grad():\n    B = A*2\n    with torch.enable_grad():\n        C = A*3\nB*C", {"at": [5.0]}),
    ("A = torch.tensor([5.0], requires_grad=True)\nloss = A*5\nloss.backward()\ng = A.grad\nprint(g)", {}),
    ("A.requires_grad = False\nA*2", {"at": 1.0}),
    ("ones(3, requires_grad=True).sum()", {}),
    ("ones(3).sum()", {}),
    ("result*result_1", {"at": {"result": 2.0, "result_1": 3.0}}),
    ("A*F + relu(A)", {"at": {"A": 2.0, "F": 3.0}}),
    ("e*math*torch.pi", {"at": {"e": 2.0, "math": 3.0}}),
    ("А*5 + 變", {"at": {"А": 2.0, "變": 3.0}}),
    ("sum([A, A*2, 3])", {"at": 1.0}),
    ("round(A, 1) + len(B)", {"at": {"A": 1.26, "B": [1.0, 2.0]}}),
    ("F.cross_entropy(A, B)", {"at": [[1.0, 2.0]], "const": {"B": [1]}}),
    ("einsum('ij,jk->ik', A, A)[..., None, 1:]", {"at": [[1.0, 2.0], [3.0, 4.0]]}),
    ("A.to(torch.float64).sum(dtype=float)", {"at": [1.0, 2.0]}),
    ("-(-A)**2 - (A - (A - 1))/(A/2)", {"at": 3.0}),
]


@pytest.mark.parametrize(("text", "options"), TABLE, ids=[f"{text} {options}"[:60] for text, options in TABLE])
def test_a_script_gives_the_same_answer(text: str, options: dict[str, Any]) -> None:
    assert differences(gradcli.grad(text, **options)) == []


@pytest.mark.parametrize(
    ("text", "options"), TABLE[:20], ids=[f"{text} {options}"[:60] for text, options in TABLE[:20]]
)
def test_a_script_of_an_evaluation_gives_the_same_answer(text: str, options: dict[str, Any]) -> None:
    options = {name: value for name, value in options.items() if name != "wrt"}
    assert differences(gradcli.evaluate(text, **options)) == []


def test_a_tensor_that_was_passed_in_is_written_out() -> None:
    A = torch.tensor([[0.1, 2.0]], dtype=torch.float64)
    assert differences(gradcli.grad("A*B", at={"A": A}, const={"B": torch.tensor([1, 2], dtype=torch.int8)})) == []
    assert differences(gradcli.grad("A*2", at=A, upstream=torch.tensor([[1.0, 3.0]]))) == []


def test_a_script_prints_what_the_table_shows() -> None:
    answer = gradcli.grad("A*5", at=[5.0])
    _, printed = run(script_of(answer))
    assert printed == "A tensor([5.]) tensor([5.]) True\nresult tensor([25.]) True\n"


def test_a_script_imports_torch_and_nothing_else() -> None:
    for text, options in TABLE:
        tree = ast.parse(script_of(gradcli.grad(text, **options)))
        imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
        assert [ast.unparse(node) for node in imports] == ["import torch"]
