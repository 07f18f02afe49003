"""Files and the memory budget: sizes are known before numbers are read, and only what is asked for counts."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
import torch

import gradcli
from gradcli.errors import GradcliError
from tests.files.asking import refusal, value
from tests.files.hostile import EXTENT, STRIDE, long, npy, part, pt, safetensors, swapped, vast_pt
from tests.files.hostile_cases import TERA, Made

LARGE: list[tuple[str, Callable[[], bytes], int, str]] = [
    ("f.npy", lambda: npy((TERA,)), 9 * TERA, "7.3 TB"),
    ("f.safetensors", lambda: safetensors({"w": part(0, 4 * TERA, (TERA,))}), 0, "3.6 TB"),
    ("f.csv", lambda: b"1," * 100, TERA, "4.5 TB"),
    ("f.pt", lambda: pt(swapped((EXTENT, b"QK\x00" + long(TERA) + b"\x85"), (STRIDE, b"K\x00\x85"))), 0, "3.6 TB"),
]


@pytest.mark.parametrize(("name", "make", "size", "needed"), LARGE)
def test_a_file_beyond_the_budget_is_refused_naming_both(name: str, make: Made, size: int, needed: str) -> None:
    data = make()
    Path(name).write_bytes(data)
    if size or name.endswith("safetensors"):
        try:
            os.truncate(name, size or len(data) + 4 * TERA)  # it takes no room on the disk
        except OSError:
            pytest.skip("no such file can be made here")
    error = refusal(name, max_memory="1GB")
    assert error.message == f"{name} needs {needed}, and the memory budget is 1.0 GB"
    assert error.hint == "the budget was given with --max-memory"


def test_a_file_that_cannot_even_be_mapped_is_refused_the_same_way() -> None:
    vast_pt("f.pt", 4 * TERA)
    assert refusal("f.pt", max_memory="1GB").message == "f.pt needs 3.6 TB, and the memory budget is 1.0 GB"


def test_of_a_large_file_only_what_is_asked_for_is_read() -> None:
    numpy.savez("w.npz", w=numpy.zeros(1 << 20), v=numpy.ones(2))
    torch.save({"w": torch.zeros(1 << 20), "v": torch.ones(2)}, "w.pt")
    header = {"v": part(0, 8), "w": part(8, 8 + (4 << 20), (1 << 20,))}
    Path("w.safetensors").write_bytes(safetensors(header, bytes(8 + (4 << 20))))
    for name in ("w.npz", "w.pt", "w.safetensors"):
        assert value(f"{name}:v", max_memory="1MB").shape == (2,)
        assert refusal(f"{name}:w", max_memory="1MB").message.startswith(f"{name} needs ")


def test_files_share_the_budget() -> None:
    Path("w.npy").write_bytes(npy((8 << 20,)))
    os.truncate("w.npy", 65 << 20)
    gradcli.evaluate("w.sum()", const={"w": "@w.npy"}, max_memory="100MB")
    with pytest.raises(GradcliError, match=r"^w\.npy needs 64\.0 MB, and .* of the budget of 100 MB are left$"):
        gradcli.evaluate("a + b", const={"a": "@w.npy", "b": "@w.npy"}, max_memory="100MB")
