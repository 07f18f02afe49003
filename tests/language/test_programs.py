"""Texts to programs: which names are inputs, what is the answer, what is said about the text."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest

from gradcli.errors import Span
from gradcli.language.parser import parse
from gradcli.language.program import Bind, Call, Enter, Input, Leave
from gradcli.language.spelling import lines

INPUTS = [
    ("A*5", ("A",)),
    ("B*A + B", ("B", "A")),
    ("ones(3)*2", ()),
    ("pi*e*tau*inf*nan", ()),
    ("x = A*2; x*B", ("A", "B")),
    ("A = A*2; A*B", ("A", "B")),
    ("F*2 + F.relu(A)", ("F", "A")),
    ("sin(lam)*lambda_", ("lam", "lambda_")),
    ("ﬁ*fi", ("fi",)),  # NFKC, as in Python
    ("µ*μ", ("μ",)),
    ("Δ*變", ("Δ", "變")),
    ("values, indices = topk(A, 2)\nvalues*B", ("A", "B")),
    ("with torch.no_grad():\n    B = A*2\nB + C", ("A", "C")),
    ("A[B]", ("A", "B")),
    ("einsum('ij,jk->ik', A, B)", ("A", "B")),
    ("print(A*B)", ("A", "B")),
]


@pytest.mark.parametrize(("text", "names"), INPUTS)
def test_inputs_are_the_free_names_in_order(text: str, names: tuple[str, ...]) -> None:
    assert parse(text).inputs == names


GIVEN = [
    ("A*e", {"A", "e"}, ("A", "e")),
    ("(x - mean)/std", {"x", "mean", "std"}, ("x", "mean", "std")),
    ("sin*sin(A)", {"sin", "A"}, ("sin", "A")),
    ("F*2", {"F"}, ("F",)),
]


@pytest.mark.parametrize(("text", "given", "names"), GIVEN)
def test_a_name_with_a_value_is_an_input_whatever_else_it_is(text: str, given: set[str], names: Any) -> None:
    assert parse(text, frozenset(given)).inputs == names


OUTPUTS = [
    ("A*5", [None]),
    ("B = A*5", ["B"]),
    ("B = A*5\nB", ["B"]),
    ("B = A*5\nB*2", [None]),
    ("A, A*2", ["A", None]),
    ("B, C = A, A*2", ["B", "C"]),
    ("v, i = topk(A, 2)", ["v", "i"]),
    ("with torch.no_grad():\n    B = A*2", ["B"]),
    ("with torch.no_grad(): A*2", [None]),
    ("B = A*2\nB += 1", ["B"]),
    ("B = A*2\nB[0] = 1", ["B"]),
    ("B = A*2\nB.add_(1)", [None]),
    ("loss = A*2\nloss.backward()", ["loss"]),
    ("(A*2).backward()", [None]),
    ("B = A*2\nprint(B)", ["B"]),
    ("print(A)", ["A"]),
    ("B = A*2\ng = A.grad", ["B"]),
    ("A.requires_grad = True\nA*2", [None]),
]


@pytest.mark.parametrize(("text", "names"), OUTPUTS)
def test_the_answer_is_the_last_statement(text: str, names: list[str | None]) -> None:
    assert [output.name for output in parse(text).outputs] == names


def test_a_program_is_flat_steps_in_the_order_of_evaluation() -> None:
    program = parse("with torch.no_grad():\n    B = A**2 + 16\nB*A")
    assert [type(step) for step in program.steps] == [Enter, Input, Call, Call, Bind, Leave, Call, Bind]
    assert [program.source[step.span.start : step.span.end] for step in program.steps if isinstance(step, Call)] == [
        "A**2",
        "A**2 + 16",
        "B*A",
    ]


SAME = [
    ("A*5", "  A*5"),
    ("A*5", "A * 5  # five times"),
    ("sin(A)", "torch.sin(A)"),
    ("F.relu(A)", "torch.nn.functional.relu(A)"),
    ("nn.functional.gelu(A)", "F.gelu(A)"),
    ("special.erf(A)", "torch.special.erf(A)"),
    ("fft.rfft(A)", "torch.fft.rfft(A)"),
    ("torch.pi*A", "math.pi*A"),
    ("A*(2 + 3)", "A*5"),
    ("A**(1/2)", "A**0.5"),
    ("sqrt(4)*A", "2.0*A"),
    ("x = 3\nA*x", "A*3"),
    ("import torch as t\nt.sin(A)", "torch.sin(A)"),
    ("import torch.nn.functional as G\nG.relu(A)", "F.relu(A)"),
    ("from torch.nn import functional as G\nG.relu(A)", "F.relu(A)"),
    ("float('inf')*A", "inf*A"),
    ("A.sum(dtype=torch.float64)", "A.sum(dtype=float64)"),
    ("B = A*2; B", "B = A*2\r\nB"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_ways_to_write_the_same_program(one: str, other: str) -> None:
    assert parse(one) == parse(other)


DIFFERENT = [
    ("A*5", "5*A"),
    ("A**2", "A*A"),
    ("A.sin()", "sin(A)"),
    ("A*B", "B*A"),
    ("(A+B)+C", "A+(B+C)"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_programs_that_differ(one: str, other: str) -> None:
    assert parse(one) != parse(other)


REMARKS = [
    ("A*5", []),
    ("import torch\nA", ["import torch"]),
    ("import torch\nA\nprint(A)\nprint(A)", ["import torch, print(...)"]),
    ("B = A*2\ng = A.grad\nB.backward()", ["g = A.grad"]),
    ("B = A*2\nB.retain_grad()\nB", ["B.retain_grad()"]),
    ('"""A docstring."""\nA', ['"""A docstring."""']),
    ("А*A", ["'А' has Cyrillic letters and only looks like 'A': they are two inputs"]),
    ("Α*A", ["'Α' has Greek letters and only looks like 'A': they are two inputs"]),
    ("хy*xy", ["'хy' has Cyrillic letters and only looks like 'xy': they are two inputs"]),
    ("Д*A", []),
]


@pytest.mark.parametrize(("text", "said"), REMARKS)
def test_what_is_said_of_a_text(text: str, said: list[str]) -> None:
    remarks = parse(text).remarks
    assert len(remarks) == len(said)
    assert all(words in remark.message for words, remark in zip(said, remarks, strict=True))


SPANS = [
    ("sin(A) + cos(B)", "cos(B)"),
    ("é*變 + cos(B)", "cos(B)"),
    ("B = 變*2\ncos(B)", "cos(B)"),
    ("  B = A*2\n  cos(B)", "cos(B)"),
    ("B = A*2\r\ncos(B)", "cos(B)"),
    ("'''é\n變'''\ncos(B)", "cos(B)"),
    ("\tcos(B)", "cos(B)"),
    ("\x0c  cos(B)", "cos(B)"),
    ("A\\\n + cos(B)", "cos(B)"),
]


@pytest.mark.parametrize(("text", "part"), SPANS)
def test_spans_count_code_points_of_the_whole_text(text: str, part: str) -> None:
    found = next(step.span for step in parse(text).steps if isinstance(step, Call) and step.function.name == "cos")
    start = text.index(part)
    assert found == Span(start, start + len(part))


def test_a_sum_of_2000_terms_is_read_from_500_frames_deep_in_a_small_thread() -> None:
    text = " + ".join(["A"] * 2_000)

    def deep(frames: int) -> int:
        return deep(frames - 1) if frames else len(parse(text, frozenset({"A", f"unused{id(text)}"})).steps)

    assert deep(500) == 2_001
    assert sys.getrecursionlimit() == 1_000
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(len(lines(parse(f"{text} + 1")))))
    thread.start()
    thread.join()
    assert found == [1]


def test_a_long_program_is_compared_hashed_and_shown_without_recursion() -> None:
    one, other = parse(" + ".join(["A"] * 2_500)), parse("+".join(["A"] * 2_500))
    assert one == other
    assert hash(one.steps) == hash(other.steps)
    assert len(repr(one)) > 10_000
