"""Values to tensors: dtypes, devices, constants, and tensors that belong to the caller."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import gradcli

GIVEN = [
    (5, None, "float32", []),
    (5.0, None, "float32", []),
    ([1, 2], None, "float32", [2]),
    ([[1], [2]], None, "float32", [2, 1]),
    ((1, 2), None, "float32", [2]),
    ([], None, "float32", [0]),
    ("5", None, "float32", []),
    ("inf", None, "float32", []),
    ("nan", None, "float32", []),
    ("[1, -inf]", None, "float32", [2]),
    (1 + 2j, None, "complex64", []),
    ("[1, 2j]", None, "complex64", [2]),
    ("randn(3, 4)", None, "float32", [3, 4]),
    ("linspace(0, 1, 5)", None, "float32", [5]),
    ("eye(3)", "float64", "float64", [3, 3]),
    (5, "float64", "float64", []),
    (5, "torch.float64", "float64", []),
    (5, torch.float64, "float64", []),
    (5, "double", "float64", []),
    (5, "float16", "float16", []),
    (5, "half", "float16", []),
    (5, "bfloat16", "bfloat16", []),
    (5, "complex64", "complex64", []),
    (5, "complex128", "complex128", []),
    (1 + 2j, "float64", "complex128", []),
    (torch.ones(2), "float64", "float32", [2]),  # a tensor keeps its dtype
    (torch.ones(2, dtype=torch.float64), None, "float64", [2]),
    (torch.ones(2, dtype=torch.bfloat16), None, "bfloat16", [2]),
]


@pytest.mark.parametrize(("value", "dtype", "kind", "shape"), GIVEN)
def test_a_value_becomes_a_leaf_that_requires_grad(value: Any, dtype: Any, kind: str, shape: list[int]) -> None:
    answer = gradcli.grad("A.abs().sum()", at=value, dtype=dtype)
    given = answer.inputs["A"]
    assert (given.dtype, list(given.shape), given.device) == (kind, shape, "cpu")
    assert (given.requires_grad, given.is_leaf, given.grad_fn, given.origin) == (True, True, None, "given")


CONSTANTS = [
    (2, "int64"),
    (True, "bool"),
    ([1, 2], "int64"),
    ([True, False], "bool"),
    (2.5, "float32"),
    ("[0, 1]", "int64"),
    ("arange(3)", "int64"),
    ("ones(3) > 0", "bool"),
    ("randn(3)", "float32"),
    (torch.tensor([1, 2], dtype=torch.int8), "int8"),
]


@pytest.mark.parametrize(("value", "kind"), CONSTANTS)
def test_a_constant_keeps_its_kind_and_gets_no_gradient(value: Any, kind: str) -> None:
    answer = gradcli.grad("A*B", at=2.0, const={"B": value})
    constant = answer.inputs["B"]
    assert (constant.dtype, constant.requires_grad, constant.grad, constant.origin) == (kind, False, None, "constant")


REFUSED = [
    ({"at": True}, "G106", "booleans"),
    ({"at": [True, False]}, "G106", "booleans"),
    ({"at": torch.tensor(2)}, "G106", "int64"),
    ({"at": "randint(0, 5, (3,))"}, "G106", "int64"),
    ({"at": "ones(3) > 0"}, "G106", "bool"),
    ({"at": 5, "dtype": "int64"}, "G106", "int64"),
    ({"at": 5, "dtype": "bool"}, "G106", "bool"),
    ({"at": 5, "dtype": "float99"}, None, "unknown dtype 'float99'"),
    ({"at": 5, "device": "cuda:99"}, None, "no device 'cuda:99' here"),
    ({"at": 5, "device": "nonsense"}, None, "no device 'nonsense' here"),
    ({"at": 5, "device": "meta"}, None, "no device 'meta' here"),
    ({"at": object()}, None, "made of numbers"),
    ({"at": {"A": None}}, None, "made of numbers"),
    ({"at": {"A": {"B": 1}}}, None, "made of numbers"),
    ({"at": [[1, 2], [3]]}, None, "ragged"),
    ({"at": 1.0, "const": {"B": 2**70}}, None, "does not fit int64"),
]


@pytest.mark.parametrize(("options", "code", "words"), REFUSED)
def test_values_that_cannot_be_inputs(options: dict[str, Any], code: str | None, words: str) -> None:
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.grad("A*5", **options)
    assert (caught.value.kind, caught.value.code, caught.value.exit_code) == ("value", code, 2)
    assert words in caught.value.message


MADE_INSIDE = ["ones(3)", "zeros(2)", "eye(2)", "linspace(0, 1, 3)", "randn(2)", "rand(2)", "torch.tensor(0.1)",
               "torch.tensor([1.0, 2.0])", "full((2,), 0.5)", "arange(0.0, 3.0)", "1/arange(1, 4)", "arange(3)/2",
               "hann_window(4)", "logspace(0, 1, 3)", "sqrt(arange(3))"]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float16", "float64"])
@pytest.mark.parametrize("text", MADE_INSIDE)
def test_dtype_reaches_tensors_made_inside(text: str, dtype: str) -> None:
    answer = gradcli.evaluate(f"x = {text}\nx", const={"A": 1.0}, dtype=dtype)
    assert answer.output.dtype == dtype
    assert torch.get_default_dtype() == torch.float32


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("arange(3)", "int64"),
        ("torch.tensor([1, 2])", "int64"),
        ("ones(3, dtype=torch.float32)", "float32"),
        ("A.float()", "float32"),
        ("torch.tensor(A)", "float64"),
        ("torch.tensor([1, 2j])", "complex128"),
        ("A > 0", "bool"),
    ],
)
def test_dtype_leaves_whole_numbers_and_what_the_text_says(text: str, kind: str) -> None:
    assert gradcli.evaluate(text, at={"A": 1.0}, dtype="float64").output.dtype == kind


def test_a_default_input_is_5() -> None:
    answer = gradcli.grad("A*5")
    assert (answer.inputs["A"].value.item(), answer.inputs["A"].origin) == (5.0, "default")


PAIRING = [
    ("A*B", {"at": 5}, "usage", "the value does not say which input it is for: A, B"),
    ("A*B", {}, "value", "no value for A, B"),
    ("A*B", {"at": {"A": 1}}, "value", "no value for B"),
    ("A*5", {"at": ("1", "2")}, "usage", "2 values were given without a name"),
    ("A*5", {"at": {"A": 1}, "const": {"A": 2}}, "usage", "A was given two values"),
    ("A*5", {"at": ("A=1", "A=2")}, "usage", "A was given two values"),
    ("A*5", {"const": 5}, "usage", "a constant needs its name"),
    ("ones(3)", {"at": 5}, "usage", "a value was given, and the expression has no input for it"),
    ("A*5", {"at": {"A B": 1}}, "usage", "'A B' cannot be the name of an input"),
    ("A*5", {"at": {"torch": 1}}, "usage", "'torch' cannot be the name of an input"),
    ("А*5", {"at": {"A": 1}}, "value", "no value for 'А', which has Cyrillic letters"),
    ("A*5", {"seed": -1}, "usage", "a seed is a whole number from 0, not -1"),
    ("A*5", {"mode": "nograd"}, "usage", "--mode is one of grad, no_grad, inference, not 'nograd'"),
    ("A*5", {"reduce": "max"}, "usage", "--reduce is one of sum, mean, none, not 'max'"),
    ("A*5", {"wrt": "B"}, "usage", "--wrt names 'B', which is not an input"),
    (5, {}, "usage", "an expression is text, not int"),
]


@pytest.mark.parametrize(("text", "options", "kind", "message"), PAIRING)
def test_requests_that_do_not_fit_together(text: Any, options: dict[str, Any], kind: str, message: str) -> None:
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.grad(text, **options)
    assert (caught.value.kind, caught.value.message) == (kind, message)
    assert caught.value.exit_code == 2


HINTS = [
    ("ones(3)*2", "it makes its own tensors: leave --at out"),
    ("ones(3)*e", "'e' is a constant; to make it an input write --at e=..."),
    ("pi*2", "'pi' is a constant; to make it an input write --at pi=..."),
]


@pytest.mark.parametrize(("text", "hint"), HINTS)
def test_a_value_without_an_input_is_explained(text: str, hint: str) -> None:
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.grad(text, at=5)
    assert caught.value.hint == hint
