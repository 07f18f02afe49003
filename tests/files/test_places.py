"""Paths: what is no file, odd names, wrong suffixes, and what is missing without the extra."""

from __future__ import annotations

import os
import socket
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy
import pytest
import safetensors.torch
import torch

from tests.command_line import ask, python
from tests.files.asking import refusal, value


def _pipe() -> None:
    os.mkfifo("w.npy")


def _device() -> None:
    os.symlink("/dev/zero", "w.npy")


def _socket() -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("w.npy")


PLACES: list[tuple[Callable[[], object], str]] = [
    (lambda: None, "cannot read w.npy: no such file or directory"),
    (lambda: os.mkdir("w.npy"), "w.npy is a directory"),
    (lambda: os.symlink("w.npy", "w.npy"), "cannot read w.npy: too many levels of symbolic links"),
    (lambda: Path("w.npy").touch(), "w.npy is empty"),
    (_pipe, "w.npy is not a file"),
    (_device, "w.npy is not a file"),
    (_socket, "cannot read w.npy: no such device or address"),
]


@pytest.mark.skipif(os.name != "posix", reason="there are no such files")
@pytest.mark.parametrize(("make", "message"), PLACES)
def test_what_is_no_file_is_refused_at_once(make: Callable[[], object], message: str) -> None:
    make()
    assert refusal("w.npy").message == message


def test_a_file_that_may_not_be_read() -> None:
    numpy.save("w.npy", numpy.ones(2))
    os.chmod("w.npy", 0)
    try:
        if os.access("w.npy", os.R_OK):  # root may read everything
            with mock.patch("os.open", side_effect=PermissionError(13, "Permission denied")):
                assert refusal("w.npy").message == "cannot read w.npy: permission denied"
        else:
            assert refusal("w.npy").message == "cannot read w.npy: permission denied"
    finally:
        os.chmod("w.npy", stat.S_IRWXU)


SUFFIXES = [
    ("w.bin", b"hello", "w.bin ends in .bin, and the suffix says the format"),
    ("w", b"hello", "w has no suffix, and the suffix says the format"),
    ("w.npz", b"\x93NUMPY", "w.npz ends in .npz, and begins as .npy files do"),
]


@pytest.mark.parametrize(("name", "data", "message"), SUFFIXES)
def test_the_suffix_has_to_be_right(name: str, data: bytes, message: str) -> None:
    Path(name).write_bytes(data)
    assert refusal(name).message == message


@pytest.mark.parametrize("name", ["x\0.npy", "x" * 300 + ".npy", "\x1b[31m.npy", "n\udcff.npy"])
def test_odd_names_are_shown_as_what_they_are(name: str) -> None:
    said = ask("eval", "w", "--const", f"w=@{name}")
    assert said.code == 2
    assert said.err.startswith("error: cannot read ")
    assert "\x1b" not in said.err
    assert said.err.count("\n") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there")
def test_names_that_are_no_utf8_work() -> None:
    name = os.fsdecode(b"n\xff")
    numpy.save(f"{name}.npy", numpy.ones(2))
    torch.save({"w": torch.ones(2)}, f"{name}.pt")
    safetensors.torch.save_file({"w": torch.ones(2)}, "plain.safetensors")
    os.replace("plain.safetensors", f"{name}.safetensors")
    for suffix in (".npy", ".pt", ".safetensors"):
        assert value(f"{name}{suffix}").tolist() == [1, 1]


def test_home_is_understood() -> None:
    numpy.save("w.npy", numpy.ones(2))
    with mock.patch.dict(os.environ, HOME=os.getcwd(), USERPROFILE=os.getcwd()):
        assert value("~/w.npy").tolist() == [1, 1]


_BLOCKED = """
import sys
for name in sys.argv[1].split(","):
    sys.modules[name] = None
import gradcli
print(gradcli.grad("A*5", at=[1.0, 2.0]).inputs["A"].grad.tolist())
for file in sys.argv[2:]:
    try:
        print(gradcli.evaluate("w", const={"w": f"@{file}"}).output.value.tolist())
    except gradcli.GradcliError as error:
        print(error.kind, error.message, error.hint, sep="; ")
"""


def test_without_the_extra_the_rest_works_and_the_missing_is_named() -> None:
    for name in ("w.npy", "w.npz", "w.csv"):
        Path(name).write_bytes(b"1")
    torch.save({"w": torch.ones(2)}, "w.pt")
    safetensors.torch.save_file({"w": torch.ones(2)}, "w.safetensors")
    done = python(_BLOCKED, "numpy", "w.npy", "w.npz", "w.csv", "w.pt", "w.safetensors")
    assert done.stdout.splitlines() == [
        "[5.0, 5.0]",
        *(
            f'file; w{suffix} cannot be read without numpy, which is not installed; pip install "gradcli[files]"'
            for suffix in (".npy", ".npz", ".csv")
        ),
        "[1.0, 1.0]",
        "[1.0, 1.0]",
    ], done.stderr
    done = python(_BLOCKED, "safetensors", "w.pt", "w.safetensors")
    assert done.stdout.splitlines()[1:] == [
        "[1.0, 1.0]",
        'file; w.safetensors cannot be read without safetensors, which is not installed; pip install "gradcli[files]"',
    ]
