"""Arithmetic on numbers alone is Python's, done while the text is read, and stays within float64."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.errors import GradcliError
from gradcli.language import numbers
from gradcli.language.parser import parse
from gradcli.language.program import Call

FOLDED = [
    ("2 + 3*4", 14),
    ("2**10", 1024),
    ("-2**2", -4),
    ("2**-1", 0.5),
    ("7//2", 3),
    ("-7//2", -4),
    ("-7 % 3", 2),
    ("7/2", 3.5),
    ("~5", -6),
    ("6 & 3", 2),
    ("6 | 3", 7),
    ("1 < 2", True),
    ("(1+2j)*2j", (1 + 2j) * 2j),
    ("1_000", 1000),
    ("0x10", 16),
    ("sqrt(2)", math.sqrt(2)),
    ("math.sqrt(2)", math.sqrt(2)),
    ("exp(1)", math.exp(1)),
    ("sin(pi)", math.sin(math.pi)),
    ("math.pi", math.pi),
    ("torch.pi", math.pi),
    ("tau/2", math.pi),
    ("torch.inf", math.inf),
    ("-inf", -math.inf),
    ("abs(-3)", 3),
    ("max(1, 2)", 2),
    ("min(1, 2.5)", 1),
    ("round(2.567)", 3),
    ("pow(2, 8)", 256),
    ("sum([1, 2, 3])", 6),
    ("float('inf')", math.inf),
    ("float('-Infinity')", -math.inf),
    ("int(2.7)", 2),
    ("complex(1, 2)", 1 + 2j),
    ("x = 2\ny = x*3\ny + 1", 7),
]


@pytest.mark.parametrize(("text", "value"), FOLDED)
def test_numbers_are_computed_as_python_does(text: str, value: Any) -> None:
    program = parse(text)
    assert not program.steps
    (output,) = program.outputs
    assert (output.operand, type(output.operand)) == (value, type(value))


@pytest.mark.parametrize("text", ["A**2", "2*A", "A + sqrt(2)", "A*2**10"])
def test_a_number_beside_a_tensor_stays_a_number(text: str) -> None:
    (call,) = [step for step in parse(text).steps if isinstance(step, Call)]
    assert sum(isinstance(operand, (int, float)) for operand in call.args) == 1


@given(
    st.sampled_from(["+", "-", "*", "/", "//", "%", "**"]),
    *[st.one_of(st.integers(-(2**70), 2**70), st.floats(allow_nan=False))] * 2,
)
def test_every_result_is_one_that_float64_can_hold(symbol: str, left: float, right: float) -> None:
    try:
        value = numbers.fold(symbol, left, right)
    except GradcliError:
        return
    assert isinstance(value, complex) or not isinstance(value, int) or abs(float(value)) < math.inf


def test_a_power_that_would_fill_memory_is_refused_before_it_is_computed() -> None:
    for text in ("9**9**9", "2**(2**60)", "(10**300)**300", "7**10**12"):
        with pytest.raises(GradcliError) as caught:
            parse(text)
        assert caught.value.kind == "bounds"
