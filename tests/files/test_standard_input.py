"""`@-`: arrays, tensors, tables and written values from standard input, read once."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy
import pytest
import safetensors.torch
import torch

from tests.command_line import Said, ask
from tests.files.hostile import saved_npy, saved_pt

WEIGHTS = {"w": torch.ones(2, 2), "b": torch.zeros(2)}


def zipped(**arrays: Any) -> bytes:
    stream = io.BytesIO()
    numpy.savez(stream, **arrays)
    return stream.getvalue()


def answer(said: Said) -> Any:
    assert said.code == 0, said.err
    return json.loads(said.out)["output"]["value"]


GIVEN: list[tuple[str, bytes, Any]] = [
    ("@-", saved_npy(numpy.array([1.0, 2.0])), [1, 2]),
    ("@-", zipped(w=numpy.ones(2)), [1, 1]),
    ("@-:b", zipped(w=numpy.ones(2), b=numpy.zeros(1)), [0]),
    ("@-:w", saved_pt(WEIGHTS), [[1, 1], [1, 1]]),
    ("@-:b", saved_pt(WEIGHTS, old=True), [0, 0]),
    ("@-:b", safetensors.torch.save(WEIGHTS), [0, 0]),
    ("@-", b"5.0", 5),
    ("@-", b" -5\n", -5),
    ("@-", b"\xef\xbb\xbf1e3", 1000),
    ("@-", b"inf", "Infinity"),
    ("@-", b"[1, 2]\n", [1, 2]),
    ("@-", b"[[1, 2],\n [3, 4]]", [[1, 2], [3, 4]]),
    ("@-", b"ones(2,\n 2)", [[1, 1], [1, 1]]),
    ("@-", b"1,2\n3,4\n", [[1, 2], [3, 4]]),
    ("@-", b"1\n2\n3\n", [1, 2, 3]),
    ("@-", b"a (m),b (s)\n1,2\n", [1, 2]),
    ("@-", b"x\n1\n2\n", [1, 2]),
]


@pytest.mark.parametrize(("value", "data", "output"), GIVEN)
def test_what_comes_in_is_recognised(value: str, data: bytes, output: Any) -> None:
    assert answer(ask("eval", "A", "--at", value, "--json", stdin=data)) == output


def test_it_is_read_once_for_all_that_ask() -> None:
    words = ("eval", "x @ w + b", "--const", "x=[1.0, 2.0]", "--at", "w=@-:w", "--at", "b=@-:b", "--json")
    assert answer(ask(*words, stdin=safetensors.torch.save(WEIGHTS))) == [3, 3]
    assert answer(ask("eval", "A*B", "--at", "A=@-", "--const", "B=@-", "--json", stdin=b"3")) == 9


def test_it_can_be_the_upstream_gradient() -> None:
    said = ask("grad", "A*5", "--at", "[1, 2]", "--upstream", "@-", "--json", stdin=b"3,4")
    assert json.loads(said.out)["inputs"][0]["grad"] == [15, 20]


def test_the_script_has_its_numbers() -> None:
    said = ask("grad", "A*5", "--at", "@-", "--format", "code", stdin=b"1,2")
    assert "A = torch.tensor([1.0, 2.0], dtype=torch.float32).requires_grad_()" in said.out


REFUSED: list[tuple[tuple[str, ...], bytes, str]] = [
    (("A", "--at", "@-"), b"", "standard input is empty"),
    (("-", "--at", "@-"), b"A*5", "standard input is empty"),
    (("A", "--at", "@-"), b" \n", "the value of A is empty"),
    (("A", "--at", "@-"), b"hello", "the value of A cannot use the name 'hello'"),
    (("A", "--at", "@-"), b"1,2,x\n", "standard input has 'x' in row 1, column 3, which is not a number"),
    (("A", "--at", "@-"), b"@w.npy", "standard input names a file: it has to hold the value itself"),
    (("A", "--at", "@-"), b"\xff\xfe", "standard input is neither text nor in a format that is known"),
    (("A", "--at", "@-"), b"a\0b", "standard input is neither text nor in a format that is known"),
    (("A", "--at", "@-:x"), b"5", "standard input holds a value that is written, and 'x' was asked for"),
    (("A", "--at", "@-:x"), b"1,2\n", "standard input holds one tensor without a name, and 'x' was asked for"),
    (("A", "--at", "@-:x"), zipped(w=numpy.ones(1)), "standard input has no tensor 'x'"),
    (("A", "--at", "@-"), saved_npy(numpy.ones(9))[:20], "standard input is damaged: it ends within its header"),
    (("A", "--at", "@-", "--max-memory", "1MB"), b"1," * 10**6, "standard input gives more than the budget of 1.0 MB"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "data", "message"), REFUSED)
def test_what_cannot_be_read_is_refused(words: tuple[str, ...], data: bytes, message: str) -> None:
    said = ask("eval", *words, stdin=data)
    assert said.code == 2
    assert said.err.splitlines()[0] == f"error: {message}"
