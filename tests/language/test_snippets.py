"""Pasted snippets: the lines that need no step are recognised, and everything else is read as usual."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError
from gradcli.language.parser import parse
from gradcli.language.program import Call, Seed

NO_GRAD = """\
import torch

A = torch.tensor([5.0], requires_grad=True)
with torch.no_grad():
    B = A**2 + 16
print(A.grad)
print(A)
print(B)
"""

UNSCALED = """\
import torch

# the loss
A = torch.tensor([5.0], requires_grad=True)
loss_function = A*5
loss_function.backward()
unscaled_grad = A.grad
print("Unscaled gradient:", unscaled_grad)
"""


def test_the_no_grad_tutorial() -> None:
    program = parse(NO_GRAD)
    assert [output.name for output in program.outputs] == ["B"]
    assert program.inputs == ()
    assert program.backward is None
    assert [name for name, _ in program.grad_reads] == ["A"]
    assert "import torch, print(...)" in program.remarks[0].message


def test_the_unscaled_gradient_tutorial() -> None:
    program = parse(UNSCALED)
    assert [output.name for output in program.outputs] == ["loss_function"]
    assert program.backward is not None
    assert UNSCALED[slice(*program.backward)] == "loss_function.backward()"
    assert "import torch, unscaled_grad = A.grad, print(...)" in program.remarks[0].message


LEFT_OUT = [
    "import torch",
    "import torch as t, math",
    "import torch.nn.functional as F",
    "from torch import nn",
    "import numpy as np",
    "import matplotlib.pyplot as plt",
    "print(A)",
    "print('A is', A, A.grad)",
    "print(f'{A}')",
    "A.grad",
    "g = A.grad",
    "g = A.grad.clone()",
    "g = A.grad.item()",
    "A.retain_grad()",
    "'a docstring'",
]


@pytest.mark.parametrize("line", LEFT_OUT)
def test_lines_that_need_no_step(line: str) -> None:
    assert parse(f"B = A*2\n{line}\nB*3") == parse("B = A*2\nB*3")
    if not line.startswith("import"):
        assert parse(f"B = A*2\nB.backward()\n{line}") == parse("B = A*2\nB.backward()")


REFUSED = [
    ("import os", "'os' cannot be imported here"),
    ("from sklearn import metrics", "'sklearn.metrics' cannot be imported here"),
    ("print(A) + 1", "unknown function 'print'"),
    ("g = A.grad*2", ".grad is filled by backward(), which runs after the expression"),
    ("plt.plot(A)", "unknown method 'plot'"),
    ("optimizer.step()", "unknown method 'step'"),
    ("A.grad.zero_()", ".grad is filled by backward(), which runs after the expression"),
]


@pytest.mark.parametrize(("line", "message"), REFUSED)
def test_lines_that_are_refused(line: str, message: str) -> None:
    with pytest.raises(GradcliError) as caught:
        parse(f"B = A*2\n{line}\nB*3")
    assert caught.value.message == message
    assert caught.value.span is not None


BACKWARD = [
    "loss.backward()",
    "loss.backward(retain_graph=True)",
    "(A*5).backward()",
    "(loss*2).sum().backward()",
    "loss.backward(gradient=torch.ones(2))",
    "loss.backward(torch.ones(2))",
    "loss.backward(create_graph=True)",
]


@pytest.mark.parametrize("line", BACKWARD)
def test_one_backward_makes_its_tensor_the_answer(line: str) -> None:
    program = parse(f"loss = A*5\nother = A*6\n{line}\nprint(A.grad)")
    assert program.backward is not None
    assert (program.upstream is not None) == ("ones" in line)
    assert program.outputs[0].name == ("loss" if line.startswith("loss.") else None)


AFTER = [
    ("loss = A*5\nloss.backward()\nloss.backward()", "autograd", "G204"),
    ("loss = A*5\nloss.backward()\nA*2", "syntax", None),
    ("loss = A*5\nloss.backward()\nwith torch.no_grad():\n    A*2", "syntax", None),
    ("loss = A*5\nloss.backward(gradient=A, inputs=[A])", "argument", None),
    ("A.backward()", "autograd", None),
    ("B = 5\nB.backward()", "autograd", None),
]


@pytest.mark.parametrize(("text", "kind", "code"), AFTER)
def test_what_may_not_follow_backward(text: str, kind: str, code: str | None) -> None:
    with pytest.raises(GradcliError) as caught:
        parse(text)
    assert (caught.value.kind, caught.value.code) == (kind, code)


def test_a_seed_in_the_text_is_a_step() -> None:
    program = parse("torch.manual_seed(3)\nrandn(2)*A")
    assert isinstance(program.steps[0], Seed)
    assert program.steps[0].number == 3
    assert program.random


WRITING = [
    ("A*2", False),
    ("B = A*2; B += 1", True),
    ("A.add_(1)", True),
    ("B = A*2; B[0] = 1; B", True),
    ("F.relu(A)", False),
    ("F.relu(A, inplace=True)", True),
    ("F.relu(A, True)", True),
    ("F.relu(A, False)", False),
    ("F.dropout(A, 0.5, True, True)", True),
    ("F.threshold(A, 0, 1, inplace=True)", True),
    ("F.embedding(I, W)", False),
    ("F.embedding(I, W, max_norm=1.0)", True),
    ("F.batch_norm(A, M, V, training=True)", True),
    ("F.batch_norm(A, None, None, training=True)", False),
]


@pytest.mark.parametrize(("text", "writes"), WRITING)
def test_a_program_knows_whether_it_may_write_into_its_inputs(text: str, writes: bool) -> None:
    assert parse(text).writes is writes


def test_calls_remember_how_they_were_written() -> None:
    styles = [
        step.style for step in parse("A.T @ torch.sin(A).exp()[0] + sort(A).values").steps if isinstance(step, Call)
    ]
    assert styles == ["attribute", "function", "method", "index", "operator", "function", "field", "operator"]
