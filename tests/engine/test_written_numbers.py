"""Written numbers in every dtype: complex, not finite, denormal, too large; and what --dtype and --device refuse."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

import gradcli
from gradcli.errors import GradcliError

TINY = 2.0**-149  # the least float32

# What is written, --dtype, the dtype of the input, its value.
NUMBERS: list[tuple[str, str | None, str, Any]] = [
    ("5", None, "float32", 5),
    ("1_000", None, "float32", 1000),
    ("1_000.5", "float64", "float64", 1000.5),
    ("inf", None, "float32", math.inf),
    ("-inf", "float16", "float16", -math.inf),
    ("inf", "bfloat16", "bfloat16", math.inf),
    ("-0.0", None, "float32", -0.0),
    ("1e-45", None, "float32", TINY),
    ("1e-46", None, "float32", 0),
    ("1e-320", None, "float32", 0),
    ("1e-320", "float64", "float64", 1e-320),
    ("5e-324", "float64", "float64", 5e-324),
    ("6e-8", "float16", "float16", 2.0**-24),
    ("1e39", None, "float32", math.inf),
    ("1e39", "float64", "float64", 1e39),
    ("70000", "float16", "float16", math.inf),
    ("65504", "float16", "float16", 65504),
    ("1e308", "float64", "float64", 1e308),
    ("0.1", "bfloat16", "bfloat16", 0.10009765625),
    ("0.1", "float8_e5m2", "float8_e5m2", 0.09375),
    ("2", "complex64", "complex64", 2 + 0j),
    ("2", "cdouble", "complex128", 2 + 0j),
    ("1+2j", None, "complex64", 1 + 2j),
    ("1+2j", "float64", "complex128", 1 + 2j),
    ("1+2j", "float16", "complex32", 1 + 2j),
    ("1+2j", "bfloat16", "complex64", 1 + 2j),
    ("2j", "complex128", "complex128", 2j),
    ("99999999999999999999", "float64", "float64", 1e20),
]


@pytest.mark.parametrize(("written", "dtype", "made", "number"), NUMBERS)
def test_a_written_number_in_a_dtype(written: str, dtype: str | None, made: str, number: Any) -> None:
    view = gradcli.evaluate("A", at=written, dtype=dtype).inputs["A"]
    read = view.value.double() if view.value.itemsize == 1 else view.value
    assert (view.dtype, read.item(), view.requires_grad) == (made, number, True)
    assert math.copysign(1, read.real.item()) == math.copysign(1, number.real)


@pytest.mark.parametrize("dtype", [None, "float64", "float16", "bfloat16", "float8_e4m3fn", "complex64"])
def test_nan_in_every_dtype(dtype: str | None) -> None:
    value = gradcli.evaluate("A", at="[nan]", dtype=dtype).output.value
    assert torch.isnan(value.float() if value.itemsize == 1 else value).all()


@pytest.mark.parametrize("dtype", [None, "float64", "float16", "complex128"])
@pytest.mark.parametrize("written", ["1e400", "[1, -1e400]", "1e400j"])
def test_a_number_beyond_float64_is_refused(written: str, dtype: str | None) -> None:
    with pytest.raises(GradcliError) as caught:
        gradcli.evaluate("A", at=written, dtype=dtype)
    error = caught.value
    assert (error.kind, error.message) == ("bounds", "this number is too large for a float64")
    assert error.span is not None
    assert written[slice(*error.span)].startswith("1e400")


REFUSED = [
    ({"dtype": "int64"}, "G106", "int64 cannot carry gradients: only floating and complex numbers can require grad"),
    ({"dtype": "bool"}, "G106", "bool cannot carry gradients: only floating and complex numbers can require grad"),
    ({"dtype": "float31"}, None, "unknown dtype 'float31'"),
    ({"device": "nowhere"}, None, "no device 'nowhere' here"),
    ({"device": "meta"}, None, "no device 'meta' here"),
    ({"device": "cuda:99"}, None, "no device 'cuda:99' here"),
]


@pytest.mark.parametrize(("options", "code", "message"), REFUSED)
def test_dtypes_and_devices_that_are_not_there(options: dict[str, str], code: str | None, message: str) -> None:
    with pytest.raises(GradcliError) as caught:
        gradcli.evaluate("A*5", at=5, **options)
    error = caught.value
    assert (error.kind, error.code, error.message) == ("value", code, message)
    if "device" in options:
        assert (error.hint or "").startswith("present: cpu")


def test_a_whole_number_beyond_int64_is_no_constant() -> None:
    with pytest.raises(GradcliError, match=r"^the value of i does not fit int64: whole numbers end at 2\*\*63$"):
        gradcli.evaluate("i", const={"i": "[1, 99999999999999999999]"})


@pytest.mark.skipif(not (torch.cuda.is_available() or torch.backends.mps.is_available()), reason="no other device here")
def test_another_device_computes() -> None:
    device = "cuda" if torch.cuda.is_available() else "mps"
    result = gradcli.grad("A*ones(2)", at=5, device=device)
    assert result.inputs["A"].device.startswith(device)
    assert result.inputs["A"].grad is not None
