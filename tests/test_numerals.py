"""Numbers of tensors as text: shortest decimals, nested lists, one line for a large tensor."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradcli import numerals
from gradcli.render import cells
from gradcli.summary import summarise

KINDS = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2]


def digits(value: float) -> int:
    return len(repr(value).partition("e")[0].replace(".", "").replace("-", "").strip("0"))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@given(number=st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_number_reads_back_and_no_shorter_one_does(dtype: torch.dtype, number: float) -> None:
    tensor = torch.tensor(number, dtype=torch.float64).to(dtype)
    (shown,) = numerals.numbers(tensor)
    if not math.isfinite(shown):
        assert shown == tensor.item()
        return
    assert torch.equal(torch.tensor(shown, dtype=torch.float64).to(dtype), tensor)
    count = digits(shown)
    if count > 1:
        shorter = float(f"{tensor.double().item():.{count - 1}g}")
        assert not torch.equal(torch.tensor(shorter, dtype=torch.float64).to(dtype), tensor)


@pytest.mark.parametrize("dtype", KINDS)
def test_every_kind_reads_back(dtype: torch.dtype) -> None:
    values = torch.tensor([0.0, -0.0, 0.1, 1.5, -3.0, 0.015625]).to(dtype)
    shown = torch.tensor(numerals.numbers(values), dtype=torch.float64)
    assert torch.equal(shown.to(dtype).double(), values.double())
    assert math.copysign(1, numerals.numbers(values)[1]) == -1


def test_non_finite_numbers_in_json() -> None:
    found = [
        numerals.json_number(one) for one in (math.nan, math.inf, -math.inf, complex(math.nan, -math.inf), 5, True)
    ]
    assert found == ["NaN", "Infinity", "-Infinity", {"real": "NaN", "imag": "-Infinity"}, 5, True]


SHAPED: list[tuple[tuple[int, ...], Any]] = [
    ((), 0),
    ((3,), [0, 1, 2]),
    ((2, 2), [[0, 1], [2, 3]]),
    ((1, 2, 1), [[[0], [1]]]),
    ((0,), []),
    ((2, 0), [[], []]),
    ((0, 2), []),
    ((2, 0, 3), [[], []]),
]


@pytest.mark.parametrize(("shape", "nested"), SHAPED)
def test_nested_lists_have_the_tensors_shape(shape: tuple[int, ...], nested: Any) -> None:
    tensor = torch.arange(math.prod(shape)).reshape(shape)
    assert numerals.nested(tensor) == nested == tensor.tolist()


def test_views_are_read_in_row_major_order() -> None:
    tensor = torch.arange(6.0).reshape(2, 3).T[::2]
    assert numerals.nested(tensor) == tensor.tolist()
    assert numerals.nested(torch.tensor(5.0).expand(3)) == [5.0, 5.0, 5.0]


def test_chunks_hold_everything_once() -> None:
    tensor = torch.arange(numerals.CHUNK * 2 + 7)
    parts = list(numerals.chunks(tensor))
    assert [len(part) for part in parts] == [numerals.CHUNK, numerals.CHUNK, 7]
    assert [number for part in parts for number in part] == tensor.tolist()


SHOWN = [
    (5.0, None, "5.0"),
    (5.0, 3, "5.0"),
    (1 / 3, None, "0.3333333333333333"),
    (1 / 3, 3, "0.333"),
    (123456.0, 3, "1.23e+05"),
    (1e-10, 2, "1e-10"),
    (100.0, 3, "100.0"),
    (-0.0, None, "-0.0"),
    (math.inf, 3, "inf"),
    (-math.inf, None, "-inf"),
    (math.nan, 3, "nan"),
    (7, 2, "7"),
    (True, 2, "True"),
    (None, None, "None"),
    (1 + 2j, None, "1.0+2.0j"),
    (1 - 2j, None, "1.0-2.0j"),
    (complex(0, -0.0), None, "0.0-0.0j"),
    (complex(math.nan, math.inf), None, "nan+infj"),
    (1 / 3 + 2j / 3, 2, "0.33+0.67j"),
]


@pytest.mark.parametrize(("value", "precision", "text"), SHOWN)
def test_one_number_as_text(value: Any, precision: int | None, text: str) -> None:
    assert cells.number(value, precision) == text


SUMMARIES = [
    (torch.arange(40.0), "(40) 0.0 … 39.0, mean 19.5 ± 11.54, 1 zero"),
    (torch.zeros(4, 10), "(4×10) 0.0 … 0.0, mean 0.0 ± 0.0, 40 zero"),
    (torch.full((40,), math.nan), "(40), 40 NaN"),
    (
        torch.tensor([math.inf, -math.inf, math.nan, 0.0] * 10),
        "(40) 0.0 … 0.0, mean 0.0 ± 0.0, 10 NaN, 20 inf, 10 zero",
    ),
    (torch.arange(40), "(40) 0.0 … 39.0, mean 19.5 ± 11.54, 1 zero"),
    (torch.full((1000, 10), 3 + 4j), "(1000×10) 5.0 … 5.0, mean 5.0 ± 0.0"),
    (torch.full((50,), 1e4, dtype=torch.float16), "(50) 1e+04 … 1e+04, mean 1e+04 ± 0.0"),
    (torch.arange(40) % 2 == 0, "(40) 0.0 … 1.0, mean 0.5 ± 0.5, 20 zero"),
]


@pytest.mark.parametrize(("tensor", "text"), SUMMARIES)
def test_a_large_tensor_in_one_line(tensor: torch.Tensor, text: str) -> None:
    assert cells.summary_line(tensor) == text


def test_a_summary_of_nothing() -> None:
    found = summarise(torch.empty(0, 3))
    assert (found.shape, found.least, found.most, found.zero) == ((0, 3), None, None, 0)


def test_a_summary_counts_and_measures_the_finite_part() -> None:
    tensor = torch.tensor([1.0, 2.0, math.nan, math.inf, -math.inf, 0.0])
    found = summarise(tensor)
    finite = tensor[tensor.isfinite()]
    assert (found.least, found.most, found.nan, found.infinite, found.zero) == (0.0, 2.0, 1, 2, 1)
    assert found.mean == pytest.approx(float(finite.mean()))
    assert found.deviation == pytest.approx(float(finite.std(correction=0)))
