"""Every format with every dtype: what is read is what was saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest
import safetensors.torch
import torch

import gradcli
from tests.files.asking import value

ARRAYS = [
    *(numpy.ones((2, 3), kind) for kind in ("f2", "f4", "f8", "c8", "c16", "i1", "i2", "i4", "i8", "u1", "?")),
    numpy.arange(6.0).reshape(2, 3).T,
    numpy.array(5.0),
    numpy.zeros((0, 3)),
    numpy.array([numpy.nan, numpy.inf, -0.0, 5e-324]),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
def test_arrays_are_read_as_they_are(array: Any) -> None:
    numpy.save("w.npy", array)
    numpy.savez("w.npz", w=array, v=numpy.ones(1))
    numpy.savez_compressed("one.npz", w=array)
    expected = torch.from_numpy(array)
    for file in ("w.npy", "w.npz:w", "one.npz"):
        read = value(file)
        assert (read.dtype, read.shape) == (expected.dtype, expected.shape)
        assert torch.equal(read.nan_to_num(7.0), expected.nan_to_num(7.0))


@pytest.mark.parametrize("kind", [">f2", ">f4", ">f8", ">c8", ">i4"])
def test_the_other_byte_order_is_converted(kind: str) -> None:
    numpy.save("w.npy", numpy.arange(3).astype(kind))
    read = value("w.npy")
    assert read.tolist() == [0, 1, 2]
    assert str(read.dtype).endswith(numpy.dtype(kind).newbyteorder("=").name)


NEWER = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e8m0fnu]  # than the format before torch 1.6
STORED = [
    *(torch.float16, torch.float32, torch.float64, torch.bfloat16, torch.complex64, torch.bool),
    *(torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    *NEWER,
]


@pytest.mark.parametrize("dtype", STORED, ids=str)
def test_tensors_are_read_as_they_are(dtype: torch.dtype) -> None:
    expected = torch.ones(2, 3).to(dtype)
    torch.save({"w": expected, "v": torch.ones(1)}, "w.pt")
    safetensors.torch.save_file({"w": expected, "v": torch.ones(1)}, "w.safetensors")
    files = ["w.pt:w", "w.safetensors:w"]
    if dtype not in NEWER:
        torch.save({"w": expected}, "old.pth", _use_new_zipfile_serialization=False)
        files.append("old.pth")
    for file in files:
        read = value(file)
        assert (read.dtype, read.shape) == (expected.dtype, expected.shape)
        assert torch.equal(read.view(torch.uint8), expected.view(torch.uint8))


VIEWS = [
    torch.arange(6.0).reshape(2, 3).T,
    torch.arange(6.0)[2:4],
    torch.arange(6.0)[::2],
    torch.ones(1).expand(3),
    torch.tensor([1 + 2j]).conj(),
    torch.tensor([1 + 2j]).conj().imag,
    torch.nn.Parameter(torch.ones(2)),
    torch.zeros(0, 3),
    torch.tensor(5.0),
]


@pytest.mark.parametrize("index", range(len(VIEWS)))
def test_views_parameters_and_pending_conjugations_are_read(index: int) -> None:
    torch.save(VIEWS[index], "w.pt")
    read = value("w.pt")
    assert torch.equal(read, VIEWS[index].detach())
    assert read.is_contiguous()
    assert (read.requires_grad, read.is_conj(), read.is_neg()) == (False, False, False)


# Text, its shape, and the dtype of an input and of a constant.
TABLES = [
    ("1,2\n3,4\n", [[1, 2], [3, 4]], "float32", "int64"),
    ("x,y\n1,2.5\n", [1, 2.5], "float32", "float32"),
    ("x\n1\n2\n", [1, 2], "float32", "int64"),
    ("5", 5, "float32", "int64"),
    ("\n# made by hand\na;b\n1;2\n", [1, 2], "float32", "int64"),
    ("1\t2\r\n3\t4\r\n", [[1, 2], [3, 4]], "float32", "int64"),
    ("\ufeffa,b\n1,2\n", [1, 2], "float32", "int64"),
    ('"a","b"\n"1","2"\n', [1, 2], "float32", "int64"),
    ("1+2j,(3-1j)\n", [1 + 2j, 3 - 1j], "complex64", "complex64"),
    ("inf,-inf\n", [float("inf"), -float("inf")], "float32", "float32"),
    ("1e-45,1e38\n", [1.401298464324817e-45, 9.999999680285692e37], "float32", "float32"),
]


@pytest.mark.parametrize(("text", "numbers", "at", "const"), TABLES)
def test_tables_are_written_numbers(text: str, numbers: Any, at: str, const: str) -> None:
    Path("w.csv").write_text(text, encoding="utf-8", newline="")
    result = gradcli.evaluate("A", at={"A": "@w.csv"}, const={"c": "@w.csv"})
    assert result.output.value.tolist() == numbers
    assert (result.inputs["A"].dtype, result.inputs["c"].dtype) == (at, const)
    assert gradcli.evaluate("A", at="@w.csv", dtype="float64").output.dtype in {"float64", "complex128"}
