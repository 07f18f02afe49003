"""JSON is strict, whole, and the same from the command line and from `to_dict()`."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

import gradcli
from tests.command_line import ask


def refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is not strict JSON")


def read(text: str) -> Any:
    return json.loads(text, parse_constant=refuse)


def document(*words: str, code: int = 0) -> Any:
    said = ask(*words, "--json")
    assert (said.code, said.err) == (code, "")
    assert said.out.endswith("}\n")
    assert said.out.count("\n") == 1
    return read(said.out)


def test_the_whole_object() -> None:
    assert document("grad", "A*5", "--at", "5.0") == {
        "schema": "gradcli/1", "command": "grad", "status": "ok", "expression": "A*5", "mode": "grad",
        "inputs": [{"name": "A", "origin": "given", "value": 5.0, "shape": [], "dtype": "float32", "device": "cpu",
                    "requires_grad": True, "is_leaf": True, "grad_fn": None, "grad": 5.0}],
        "output": {"name": None, "value": 25.0, "shape": [], "dtype": "float32", "device": "cpu",
                   "requires_grad": True, "is_leaf": False, "grad_fn": "MulBackward0", "grad": None},
        "notes": [],
    }  # fmt: skip


def test_the_fields_stand_in_this_order() -> None:
    found = document("eval", "A*5", "--no-grad")
    assert list(found) == ["schema", "command", "status", "expression", "mode", "inputs", "output", "notes"]
    assert (found["command"], found["mode"]) == ("eval", "no_grad")
    assert list(found["inputs"][0]) == [
        "name", "origin", "value", "shape", "dtype", "device", "requires_grad", "is_leaf", "grad_fn", "grad",
    ]  # fmt: skip
    assert list(found["notes"][0]) == ["code", "level", "message", "span", "subject"]


def test_several_outputs() -> None:
    found = document("grad", "values, i = topk(A, 2)", "--at", "[3, 1, 2]")
    assert "output" not in found
    assert [(one["name"], one["value"], one["dtype"]) for one in found["outputs"]] == [
        ("values", [3.0, 2.0], "float32"),
        ("i", [0, 2], "int64"),
    ]


@pytest.mark.parametrize(
    ("options", "origin"),
    [
        ({"at": 1.0}, "given"),
        ({}, "default"),
        ({"const": {"A": 1.0}}, "constant"),
    ],
)
def test_origins(options: dict[str, Any], origin: str) -> None:
    assert gradcli.grad("A*5", **options).to_dict()["inputs"][0]["origin"] == origin
    inside = gradcli.grad("A = torch.tensor(5.0, requires_grad=True)\nA*2").to_dict()["inputs"]
    assert [(one["name"], one["origin"]) for one in inside] == [("A", "inside")]


def test_non_finite_numbers_are_strings() -> None:
    found = document("grad", "A*1", "--at", "[nan, inf, -inf, -0.0]")
    assert found["output"]["value"] == ["NaN", "Infinity", "-Infinity", -0.0]
    assert str(found["output"]["value"][3]) == "-0.0"
    assert document("grad", "1/A", "--at", "0")["inputs"][0]["grad"] == "-Infinity"


def test_complex_numbers_are_objects() -> None:
    found = document("grad", "abs(A)", "--at", "[3+4j, -2j]")
    assert found["inputs"][0]["value"] == [{"real": 3.0, "imag": 4.0}, {"real": -0.0, "imag": -2.0}]
    assert found["inputs"][0]["grad"][0] == {"real": 0.6, "imag": 0.8}
    assert gradcli.evaluate("A*B", at={"A": complex("nan")}, const={"B": complex(0, 1)}).to_dict()["output"][
        "value"
    ] == {
        "real": "NaN",
        "imag": "NaN",
    }


DECIMALS = [
    ("float64", 0.1, 0.1),
    ("float64", 1 / 3, 0.3333333333333333),
    ("float64", 5e-324, 5e-324),
    ("float64", 1.7976931348623157e308, 1.7976931348623157e308),
    ("float32", 0.1, 0.1),
    ("float32", 1 / 3, 0.33333334),
    ("float32", 16777217.0, 16777216.0),
    ("float32", 3.4028235e38, 3.4028235e38),
    ("float32", 1e-45, 1e-45),
    ("float16", 0.1, 0.1),
    ("float16", 1 / 3, 0.3333),
    ("float16", 65504.0, 65500.0),
    ("float16", 6e-8, 6e-08),
    ("bfloat16", 0.1, 0.1),
    ("bfloat16", 1 / 3, 0.334),
    ("bfloat16", 256.0, 256.0),
    ("bfloat16", 3.39e38, 3.39e38),
]


@pytest.mark.parametrize(("dtype", "value", "shown"), DECIMALS)
def test_a_number_is_the_shortest_decimal_that_reads_back(dtype: str, value: float, shown: float) -> None:
    kind = getattr(torch, dtype)
    found = gradcli.evaluate("A", at=torch.tensor(value, dtype=kind)).to_dict()["output"]["value"]
    assert found == shown
    assert torch.equal(torch.tensor(found, dtype=kind), torch.tensor(value, dtype=kind))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_random_numbers_read_back_in_their_dtype(dtype: str) -> None:
    kind = getattr(torch, dtype)
    numbers = torch.randn(500, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    numbers = (numbers * 10.0 ** torch.arange(-25, 25).repeat(10)).to(kind)
    text = json.dumps(gradcli.evaluate("A", at=numbers).to_dict())
    again = torch.tensor([float(one) for one in read(text)["output"]["value"]], dtype=torch.float64).to(kind)
    assert torch.equal(again, numbers)


def test_whole_numbers_and_booleans_stay_what_they_are() -> None:
    found = document("eval", "A*B", "--at", "A=2", "--const", "B=[1, 2]")
    assert found["inputs"][1]["value"] == [1, 2]
    assert all(isinstance(one, int) for one in found["inputs"][1]["value"])
    assert document("eval", "A > 1", "--at", "[1, 2]")["output"]["value"] == [False, True]


SHAPES: list[Any] = [5.0, [5.0], [[1.0, 2.0], [3.0, 4.0]], [], [[], []], [[[1.0], [2.0]], [[3.0], [4.0]]]]


@pytest.mark.parametrize("value", SHAPES)
def test_tensors_are_nested_lists_of_their_shape(value: Any) -> None:
    found = document("eval", "A", "--at", json.dumps(value))
    assert found["output"]["value"] == value
    assert found["output"]["shape"] == list(torch.tensor(value).shape)


def test_a_large_tensor_is_whole() -> None:
    found = document("eval", "arange(100000).reshape(100, 1000)*1.0")
    assert found["output"]["shape"] == [100, 1000]
    assert [row[-1] for row in found["output"]["value"]] == [1000.0 * row + 999 for row in range(100)]


def test_precision_rounds_and_leaves_what_is_not_finite() -> None:
    found = document("grad", "A/3", "--at", "[1, nan, 1e10]", "--precision", "3")
    assert found["output"]["value"] == [0.333, "NaN", 3330000000.0]


def test_spans_count_code_points_of_the_expression() -> None:
    text = "變 = A*1\n變.detach()*2"
    (note,) = document("grad", text, "--at", "1")["notes"]
    assert text[slice(*note["span"])] == "變.detach()"


def test_the_command_line_and_the_api_say_the_same() -> None:
    for text, options, words in [
        ("A*B", {"at": {"A": [1.5, 2.0], "B": 3.0}}, ["--at", "A=[1.5, 2]", "--at", "B=3"]),
        ("sin(A)", {"dtype": "float64"}, ["--dtype", "float64"]),
        ("randn(2)*A", {"at": 2.0, "seed": 3}, ["--at", "2", "--seed", "3"]),
    ]:  # fmt: skip
        assert document("grad", text, *words) == gradcli.grad(text, **options).to_dict()  # type: ignore[arg-type]


def test_lines_without_a_terminal_are_ascii_safe_in_json() -> None:
    said = ask("grad", "Δ*變", "--at", "Δ=1", "--at", "變=2", "--json", encoding="ascii")
    assert said.code == 0
    assert [one["name"] for one in read(said.out)["inputs"]] == ["Δ", "變"]
