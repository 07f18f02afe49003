"""Values as they are written: numbers, nested lists, calls; each refused text beside an accepted one."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.errors import GradcliError
from gradcli.language.program import Program
from gradcli.language.values import check_shape, read_value, split_name

READ = [
    ("5.0", 5.0),
    ("5", 5),
    (" 5 ", 5),
    ("-5.0", -5.0),
    ("--5", 5),
    ("1_000", 1000),
    ("1e-320", 1e-320),
    ("1/3", 1 / 3),
    ("2*pi", 2 * math.pi),
    ("sqrt(2)", math.sqrt(2)),
    ("inf", math.inf),
    ("-inf", -math.inf),
    ("pi", math.pi),
    ("1+2j", 1 + 2j),
    ("True", True),
    ("[]", []),
    ("[[]]", [[]]),
    ("[5.0]", [5.0]),
    ("[1, 2]", [1, 2]),
    ("[1,2]", [1, 2]),
    ("[[1, 2], [3, 4]]", [[1, 2], [3, 4]]),
    ("[1, -inf, 2e3]", [1, -math.inf, 2000.0]),
    ("[1, 2j]", [1, 2j]),
    ("[1/2, sin(0)]", [0.5, 0.0]),
    ("[True, False]", [True, False]),
    ("[1,\n 2]", [1, 2]),
]


@pytest.mark.parametrize(("text", "data"), READ)
def test_values_are_read(text: str, data: Any) -> None:
    assert read_value(text) == data


@pytest.mark.parametrize("text", ["nan", "[nan]", "[1, -nan]"])
def test_nan_is_a_value(text: str) -> None:
    data = read_value(text)
    assert math.isnan(data[-1] if isinstance(data, list) else data)


@pytest.mark.parametrize("text", ["randn(3, 4)", "eye(3)", "linspace(0, 1, 5)", "ones(2)*3", "tensor([1, 2])"])
def test_a_call_is_a_program_without_inputs(text: str) -> None:
    program = read_value(text)
    assert isinstance(program, Program)
    assert not program.inputs


REFUSED = [
    ("", "5", "syntax", "the value of A is empty"),
    ("hello", "5", "value", "the value of A cannot use the name 'hello'"),
    ("A*2", "3*2", "value", "the value of A cannot use the name 'A'"),
    ("(1, 2)", "[1, 2]", "value", "the value of A is one number, list or call"),
    ("B = 2", "2", "value", "the value of A is one number, list or call"),
    ("pi = 3", "pi", "value", "the value of A is one number, list or call"),
    ("[1, [2]]", "[[1], [2]]", "value", "the value of A is ragged: its rows have different lengths"),
    ("[[1, 2], [3]]", "[[1, 2], [3, 4]]", "value", "the value of A is ragged: its rows have different lengths"),
    ("[1, 'a']", "[1, 2]", "value", "the value of A is made of numbers"),
    ("[1, None]", "[1, nan]", "value", "the value of A is made of numbers"),
    ("[randn(2), 1]", "randn(2)", "value", "the value of A is made of numbers"),
    ("'5'", "5", "syntax", "the value of A is text, not numbers"),
    ("1; 2", "[1, 2]", "value", "the value of A is one number, list or call"),
    ("1\n2", "[1,\n2]", "value", "the value of A is one number, list or call"),
    ("import torch\ntorch.ones(2)", "torch.ones(2)", "value", "the value of A is one number, list or call"),
    ("1e400", "1e300", "bounds", "this number is too large for a float64"),
    ("[1e400]", "[1e300]", "bounds", "this number is too large for a float64"),
    ("9**9**9", "9**9", "bounds", "this power is too large to compute"),
    ("1/0", "1/2", "syntax", "division by zero, on numbers alone"),
    ("[1, 2", "[1, 2]", "syntax", None),
    ("1 2", "[1, 2]", "syntax", "two names stand side by side"),
    ("5,0", "5.0", "value", "the value of A is one number, list or call"),
    ("−5", "-5", "syntax", "the character − (minus sign) is not part of the language"),
    ("٣", "3", "syntax", "the character ٣ (arabic-indic digit three) is not part of the language"),
    ("randn(3, device=5)*x", "randn(3)*2", "value", "the value of A cannot use the name 'x'"),
    ("randnn(3)", "randn(3)", "name", "unknown function 'randnn'"),
    ("open('f')", "ones(3)", "name", "unknown function 'open'"),
    ("__import__('os')", "ones(3)", "name", "unknown function '__import__'"),
]


@pytest.mark.parametrize(("text", "instead", "kind", "message"), REFUSED)
def test_values_are_refused_beside_their_neighbours(
    text: str, instead: str, kind: str | None, message: str | None
) -> None:
    with pytest.raises(GradcliError) as caught:
        read_value(text, "A")
    error = caught.value
    assert kind in (None, error.kind)
    assert error.message.startswith(message or "")
    assert error.source in (None, text)
    assert error.exit_code == 2
    read_value(instead, "A")


HINTS = [
    ("5,0", "a decimal point is a point, as in 5.0; two numbers are a list, [5, 0]"),
    ("1, 2, 3", "several numbers are a list, [1, 2]"),
    ("1 2 3", "several numbers are a list, [1, 2]"),
    ("1;2", "several numbers are a list, [1, 2]"),
    ("(1, 2)", "lists are written with brackets, [1, 2]"),
    ("hello", "write numbers, [lists], or a call such as randn(3, 4)"),
    ("'hello'", "write numbers, [lists], or a call such as randn(3, 4)"),
    ("", 'write one, such as 5.0 or "[1, 2]"'),
    ("randnn(3)", "did you mean 'randn'?"),
]


@pytest.mark.parametrize(("text", "hint"), HINTS)
def test_the_hint_is_about_values(text: str, hint: str) -> None:
    with pytest.raises(GradcliError) as caught:
        read_value(text, "A")
    assert caught.value.hint == hint


BRACKETED = [("(5)", 5), ("((-5))", -5), ("-(5)", -5), ("  5", 5), ("(1+2)*3", 9), ("+5", 5)]


@pytest.mark.parametrize(("text", "data"), BRACKETED)
def test_brackets_and_blanks_may_stand_around_a_number(text: str, data: Any) -> None:
    assert read_value(text) == data


def test_a_value_of_many_numbers_is_read_and_a_longer_one_is_not() -> None:
    text = str(list(range(100_000)))
    assert len(read_value(text)) == 100_000
    with pytest.raises(GradcliError, match="at most 2,000,000 are read") as caught:
        read_value("1" * 2_000_001)
    assert caught.value.kind == "bounds"


NAMED = [
    ("A=5", ("A", "5")),
    ("A = [1, 2]", ("A", " [1, 2]")),
    (" x1=5", ("x1", "5")),
    ("5", (None, "5")),
    ("A==5", (None, "A==5")),
    ("[1, 2]", (None, "[1, 2]")),
    ("ones(3, dtype=float64)", (None, "ones(3, dtype=float64)")),
    ("ﬁ=1", ("fi", "1")),
    ("А=1", ("А", "1")),
    ("A=", ("A", "")),
    ("A=@w.npy", ("A", "@w.npy")),
    ("2A=5", (None, "2A=5")),
]


@pytest.mark.parametrize(("text", "pair"), NAMED)
def test_a_value_may_carry_its_name(text: str, pair: tuple[str | None, str]) -> None:
    assert split_name(text) == pair


SHAPES = [(5, ()), ([], (0,)), ([[]], (1, 0)), ([1, 2], (2,)), (((1, 2, 3), (4, 5, 6)), (2, 3)), ([[[1]]], (1, 1, 1))]


@pytest.mark.parametrize(("data", "shape"), SHAPES)
def test_shapes_of_nested_lists(data: Any, shape: tuple[int, ...]) -> None:
    assert check_shape(data, "the value") == shape


numbers = st.one_of(st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False))


@given(st.one_of(numbers, st.lists(numbers), st.lists(st.lists(numbers, min_size=2, max_size=2))))
def test_what_python_prints_reads_back(data: Any) -> None:
    assert read_value(repr(data)) == data
