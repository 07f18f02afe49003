"""Dtypes: what is refused and why, what needs --const, what --dtype converts."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import safetensors.torch
import torch

import gradcli
from gradcli.errors import GradcliError
from tests.files.asking import refusal, value

UNSIGNED = "and torch computes in no unsigned whole numbers but uint8"
WHOLE = "convert it: .astype('int64')"
RAW = "numpy has no bfloat16 and no float8: save those as .pt or .safetensors"
OBJECTS = "holds Python objects, which can be code: none was run"

# An array, the end of what is said of it, and the hint.
REFUSED = [
    (numpy.ones(2, numpy.longdouble), "which torch does not have", "convert it: .astype('float64')"),
    (numpy.ones(2, numpy.clongdouble), "which torch does not have", "convert it: .astype('complex128')"),
    (numpy.ones(2, "u2"), f"holds uint16, {UNSIGNED}", WHOLE),
    (numpy.ones(2, "u4"), f"holds uint32, {UNSIGNED}", WHOLE),
    (numpy.ones(2, ">u8"), f"holds uint64, {UNSIGNED}", WHOLE),
    (numpy.array(["a"]), "holds text (<U1)", None),
    (numpy.array([b"a"]), "holds text (|S1)", None),
    (numpy.zeros(2, [("x", "f4")]), "holds records with named fields, not numbers", "save one field: values['name']"),
    (numpy.zeros(2, "M8[D]"), "holds dates (datetime64[D])", None),
    (numpy.zeros(2, "m8[s]"), "holds durations (timedelta64[s])", "convert it: values / numpy.timedelta64(1, 's')"),
    (numpy.zeros(2, "V2"), "holds raw bytes (|V2)", RAW),
    (numpy.array([{}]), OBJECTS, "save numbers: numpy.asarray(values, dtype=float)"),
]  # fmt: skip


@pytest.mark.parametrize(("array", "reason", "hint"), REFUSED, ids=lambda one: str(getattr(one, "dtype", "")))
def test_dtypes_without_tensors_are_refused_with_a_reason(array: Any, reason: str, hint: str | None) -> None:
    """In files and, with the same words, in the Python API."""
    numpy.save("w.npy", array)
    error = refusal("w.npy")
    assert error.message.startswith("w.npy holds ")
    assert error.message.endswith(reason)
    assert error.hint == hint
    with pytest.raises(GradcliError) as caught:
        gradcli.grad("w*2", at=array)
    assert caught.value.message.endswith(reason)
    assert (caught.value.kind, caught.value.hint) == ("value", hint)


def test_unsigned_tensors_are_refused_in_torch_formats_too() -> None:
    tensor = torch.ones(2, dtype=torch.uint16)
    torch.save(tensor, "w.pt")
    safetensors.torch.save_file({"w": tensor}, "w.safetensors")
    for file in ("w.pt", "w.safetensors"):
        assert refusal(file).message == f"{file} holds uint16, {UNSIGNED}"


@pytest.mark.parametrize("array", [numpy.arange(3.0)[::-1], numpy.ones(3, ">f8"), numpy.broadcast_to(1.0, (3,))])
def test_arrays_of_the_api_are_converted_and_left_alone(array: Any) -> None:
    before = array.copy()
    result = gradcli.grad("with torch.no_grad(): A.mul_(3)\n(A*2).sum()", at=array)
    assert result.inputs["A"].value.tolist() == (3 * before).tolist()
    assert result.output.value.item() == 6 * before.sum()
    assert (array == before).all()


CONSTANTS = [("int64", numpy.array([0, 1])), ("bool", numpy.array([True, False])), ("uint8", numpy.ones(2, "u1"))]


@pytest.mark.parametrize(("dtype", "array"), CONSTANTS)
def test_whole_numbers_are_constants(dtype: str, array: Any) -> None:
    numpy.save("w.npy", array)
    assert str(value("w.npy").dtype) == f"torch.{dtype}"
    with pytest.raises(GradcliError) as caught:
        gradcli.grad("A*5", at="@w.npy")
    error = caught.value
    assert (error.code, error.message) == ("G106", f"A is {dtype}: whole numbers and booleans cannot require grad")
    assert error.hint == "give it with --const A=..., or as floating numbers"


# What --dtype does to a file: the dtype of the file, --dtype, that of an input, that of a constant.
CONVERTED = [
    ("float64", None, "float64", "float64"),
    ("float64", "float32", "float32", "float32"),
    ("float32", "float64", "float64", "float64"),
    ("float32", "bfloat16", "bfloat16", "bfloat16"),
    ("float32", "complex64", "complex64", "float32"),
    ("float64", "complex64", "complex64", "float32"),
    ("complex64", "float64", "complex128", "complex128"),
    ("complex128", "float32", "complex64", "complex64"),
    ("complex128", "complex64", "complex64", "complex64"),
    ("float32", "float8_e4m3fn", "float8_e4m3fn", "float32"),
]


@pytest.mark.parametrize(("stored", "dtype", "at", "const"), CONVERTED)
def test_dtype_converts_files_as_it_does_calls(stored: str, dtype: str | None, at: str, const: str) -> None:
    numpy.save("w.npy", numpy.ones(2, stored))
    result = gradcli.evaluate("A", at={"A": "@w.npy"}, const={"c": "@w.npy"}, dtype=dtype)
    assert (result.inputs["A"].dtype, result.inputs["c"].dtype) == (at, const)
