"""Dtypes side by side: one point rounded to each, and errors against float64, in ulps as torch's neighbours tell."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

import gradcli
from gradcli.engine.comparing.gaps import error_of, ulp
from tests.command_line import ask

FOUR = "float64,float32,bfloat16,float16"
DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_ulp_is_the_distance_to_the_next_number(dtype: torch.dtype) -> None:
    info = torch.finfo(dtype)
    numbers = [1.0, 1.5, 2.0, 3.75, info.smallest_normal, info.smallest_normal * 1.5, info.smallest_normal / 2, 1000.0]
    here = torch.tensor(numbers, dtype=dtype)
    bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize]
    neighbours = (here.view(bits) + 1).view(dtype)
    wanted = neighbours.double() - here.double()
    torch.testing.assert_close(ulp(here.double(), dtype), wanted, rtol=0, atol=0)
    torch.testing.assert_close(ulp(-here.double(), dtype), wanted, rtol=0, atol=0)


def test_errors_count_what_is_lost() -> None:
    want = torch.tensor([1.0, 1e-9, 70000.0, 0.0, math.inf, math.nan, 3.0], dtype=torch.float64)
    found = error_of(want.to(torch.float16), want)
    assert found is not None
    assert (found.under, found.over, found.of, found.worst) == (1, 1, 4, 2)
    assert (found.relative, found.ulps) == (math.inf, math.inf)


def test_rounding_errs_by_half_an_ulp_at_most() -> None:
    want = torch.randn(1000, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    for dtype in DTYPES[:3]:
        found = error_of(want.to(dtype), want)
        assert found is not None
        assert found.ulps is not None
        assert 0.45 < found.ulps <= 0.5
        assert found.relative <= torch.finfo(dtype).eps / 2


def test_tensors_that_cannot_be_compared_have_no_error() -> None:
    assert error_of(torch.ones(2), torch.ones(3, dtype=torch.float64)) is None
    empty = error_of(torch.ones(0), torch.ones(0, dtype=torch.float64))
    assert (empty.relative, empty.worst) == (0.0, None)  # type: ignore[union-attr]


def columns(text: str, at: Any, dtypes: str = FOUR, **options: Any) -> dict[str, Any]:
    return {one.name: one for one in gradcli.compare(text, at=at, dtypes=dtypes, **options).columns}


def test_each_dtype_gives_what_it_gives_alone() -> None:
    for name, column in columns("A*A*A", 50.1).items():
        alone = gradcli.grad("A*A*A", at=50.1, dtype=name)
        assert column.outputs[0].value.dtype == alone.output.value.dtype
        torch.testing.assert_close(column.outputs[0].value, alone.output.value, rtol=0, atol=0)
        torch.testing.assert_close(column.grads["A"], alone.inputs["A"].grad, rtol=0, atol=0)


def test_errors_are_against_float64() -> None:
    found = columns("A*A*A", 50.1)
    true = 50.1 * 50.1 * 50.1
    assert found["float64"].errors["value"].relative == 0.0
    got = float(found["bfloat16"].outputs[0].value)
    assert found["bfloat16"].errors["value"].relative == pytest.approx(abs(got - true) / true, rel=1e-12)
    assert found["bfloat16"].errors["value"].ulps == pytest.approx(abs(got - true) / 512, rel=1e-12)
    assert found["float16"].errors["value"].over == 1


def test_random_values_are_drawn_once_and_rounded() -> None:
    found = columns("A*1", "randn(5)")
    torch.testing.assert_close(
        found["float16"].outputs[0].value, found["float64"].outputs[0].value.half(), rtol=0, atol=0
    )


def test_tensors_passed_in_are_rounded_too() -> None:
    a = torch.tensor([0.1], dtype=torch.float32)
    found = columns("A*1", a)
    assert found["float16"].outputs[0].value.dtype == torch.float16
    assert a.dtype == torch.float32


def test_a_narrow_dtype_in_the_text_is_an_error_of_float64_as_well() -> None:
    found = columns("A.to(torch.float16).double()", 0.1, "float64")
    assert found["float64"].errors["value"].relative > 1e-5


LOST = [  # text, value, what the verdict says, the codes of the warnings
    ("A*A*A", 50.1, "float16 overflows at A*A*A = inf", {"G602"}),
    ("exp(A)*0", 12.0, "float16 overflows at exp(A) = inf", {"G602"}),
    ("A*1e-5*1e-5*1e3", 0.5, "float16 underflows at A*1e-5*1e-5 = 0", {"G601"}),
    ("A*2", 1.5, "float16 gives the same numbers", set()),
    ("A/3", 1.0, "float16 is off by 0.00024 at most", set()),
]


@pytest.mark.parametrize(("text", "at", "said", "codes"), LOST)
def test_what_under_or_overflowed_is_named(text: str, at: float, said: str, codes: set[str]) -> None:
    found = gradcli.compare(text, at=at, dtypes=["float16"])
    assert said in found.verdict
    assert {note.code for note in found.notes} == codes
    assert {note.level for note in found.notes} <= {"warning"}


def test_other_draws_in_each_dtype_are_not_compared() -> None:
    found = gradcli.compare("randn(3)*A", at=1.0, dtypes=FOUR)
    assert "draws other random numbers" in found.verdict
    assert all(one.errors == {} for one in found.columns)  # type: ignore[attr-defined]


def test_a_dtype_that_torch_refuses_leaves_the_others_standing() -> None:
    found = columns("exp(A)", 1.0, "float32,float8_e5m2")
    assert found["float8_e5m2"].refused
    assert found["float32"].refused is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--dtypes", ""], "--dtypes is empty"),
        (["--dtypes", "float32,int8"], "int8 cannot carry gradients"),
        (["--dtypes", "float31"], "unknown dtype 'float31'"),
        (["--dtypes", "complex64"], "--dtypes takes real dtypes, not complex64"),
        (["--dtypes", "float32", "--dtype", "float64"], "--dtype does not go together with --dtypes"),
        (["--dtypes", "float32", "--rounds", "3"], "--rounds does not go together with --dtypes"),
        (["--rounds", "-1"], "--rounds is a whole number from 0 to 10,000, not -1"),
        (["--rounds", "x"], "--rounds is a whole number, not 'x'"),
        (["--tolerance", "0.1"], "--tolerance is for several formulas"),
    ],
)
def test_what_does_not_fit_is_refused(words: list[str], message: str) -> None:
    said = ask("compare", "A*5", *words)
    assert (said.code, said.out) == (2, "")
    assert message in said.err.splitlines()[0]
