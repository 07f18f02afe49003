"""csv: a row an element, nothing summarised, and every cell readable again."""

from __future__ import annotations

import csv
import io

import torch

import gradcli
from gradcli import render
from tests.command_line import ask


def rows(*words: str) -> list[list[str]]:
    said = ask(*words, "--format", "csv")
    assert (said.code, said.err) == (0, "")
    return list(csv.reader(io.StringIO(said.out)))


def test_a_row_an_element_with_its_index() -> None:
    assert rows("grad", "A*B", "--at", "A=[[1,2],[3,4]]", "--at", "B=2") == [
        ["tensor", "index", "value", "grad", "requires_grad", "grad_fn"],
        ["A", "0 0", "1.0", "2.0", "True", "leaf"],
        ["A", "0 1", "2.0", "2.0", "True", "leaf"],
        ["A", "1 0", "3.0", "2.0", "True", "leaf"],
        ["A", "1 1", "4.0", "2.0", "True", "leaf"],
        ["B", "", "2.0", "10.0", "True", "leaf"],
        ["A*B", "0 0", "2.0", "", "True", "MulBackward0"],
        ["A*B", "0 1", "4.0", "", "True", "MulBackward0"],
        ["A*B", "1 0", "6.0", "", "True", "MulBackward0"],
        ["A*B", "1 1", "8.0", "", "True", "MulBackward0"],
    ]


def test_non_finite_and_complex_numbers() -> None:
    found = rows("eval", "A", "--at", "[nan, inf, -inf, -0.0]")
    assert [row[2] for row in found[1:5]] == ["nan", "inf", "-inf", "-0.0"]
    assert [row[2] for row in rows("eval", "A", "--at", "[1+2j, -1j]")[1:3]] == ["1.0+2.0j", "-0.0-1.0j"]


def test_a_large_tensor_is_whole() -> None:
    found = rows("eval", "arange(20000)*2")
    assert len(found) == 20_001
    assert found[-1][1:3] == ["19999", "39998"]


def test_cells_with_commas_quotes_and_lines_read_back() -> None:
    text = "einsum('i,i->', A,\n A)"
    assert rows("grad", text, "--at", "[1, 2]")[-1][0] == " ".join(text.split())


def test_precision() -> None:
    assert [row[2] for row in rows("eval", "A/3", "--at", "[1, 2]", "--precision", "3")[3:]] == ["0.333", "0.667"]


def test_an_empty_tensor_has_no_rows() -> None:
    assert len(rows("grad", "A*5", "--at", "[]")) == 1


def test_the_vocabulary_has_a_row_a_function() -> None:
    found = rows("functions")
    assert found[0] == ["function", "signature", "family", "differentiable", "description"]
    assert len(found) == len(gradcli.functions().found) + 1


def test_values_read_back_to_the_same_numbers() -> None:
    answer = gradcli.grad("sin(A)/7", at="randn(50)")
    found = rows("grad", "sin(A)/7", "--at", "randn(50)")
    outputs = torch.tensor([float(row[2]) for row in found if row[0] == "sin(A)/7"])
    assert torch.equal(outputs, answer.output.value)


def test_a_tensor_without_elements_has_no_rows_however_wide_it_is() -> None:
    answer = gradcli.evaluate("torch.tile(x, (1, 10**12))", const={"x": "zeros(2, 0, 3)"})
    assert "".join(render.pieces("csv", answer, render.Style())).count("\n") == 1
