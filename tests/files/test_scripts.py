"""A file is read once for an answer, and the script of an answer reads it again."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import numpy
import pytest
import safetensors.torch
import torch

import gradcli
from gradcli.engine import files
from tests.command_line import ask
from tests.render.running import run


def test_a_file_is_read_once_and_what_is_computed_does_not_reach_it() -> None:
    numpy.save("w.npy", numpy.ones(3))
    before = Path("w.npy").read_bytes()
    with mock.patch.object(files, "open_file", wraps=files.open_file) as opening:
        result = gradcli.grad("B = A*1\nB.mul_(2)\nB", at="@w.npy", upstream="@w.npy")
    assert opening.call_count == 2
    assert result.inputs["A"].value.tolist() == [1, 1, 1]
    gradcli.evaluate("with torch.no_grad(): w.mul_(2)\nw*1", const={"w": "@w.npy"})
    assert Path("w.npy").read_bytes() == before


# An expression, the options of the API, and what the script prints of A and its gradient.
SCRIPTS = [
    ("A*5", {"at": "@w.npy"}, "[1.5, 2.5] [5.0, 5.0] torch.float32"),
    ("A*5", {"at": "@big-endian.npy"}, "[1.5, 2.5] [5.0, 5.0] torch.float64"),
    ("A*5", {"at": "@w.npz:w", "dtype": "float64"}, "[1.5, 2.5] [5.0, 5.0] torch.float64"),
    ("A*B", {"at": "A=@w.pt:nested.w", "const": "B=@w.pt:list.0"}, "[1.5, 2.5] [0.0, 1.0] torch.float32"),
    ("A*5", {"at": "@parameter.pt"}, "[1.5, 2.5] [5.0, 5.0] torch.float32"),
    ("A*B", {"at": "A=@w.safetensors:w", "const": "B=@w.csv"}, "[1.5, 2.5] [1.0, 2.0] torch.bfloat16"),
    ("A*5", {"at": "[1, 2]", "upstream": "@w.pt:nested.w"}, "[1.0, 2.0] [7.5, 12.5] torch.float32"),
    ("A*5", {"at": "@w.csv"}, "[1.0, 2.0] [5.0, 5.0] torch.float32"),
    ("A.real*A.imag", {"at": "@complex.csv"}, "[(3+4j), (3+0j)] [(4+3j), 3j] torch.complex64"),
    ("A.float()*2", {"at": "@w.pt:nested.float8"}, "[1.5, 2.5] [2.0, 2.0] torch.float8_e5m2"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "options", "printed"), SCRIPTS)
def test_the_script_reads_the_same_file(expression: str, options: dict[str, str], printed: str) -> None:
    pair = torch.tensor([1.5, 2.5])
    numpy.save("w.npy", pair.numpy())
    numpy.save("big-endian.npy", pair.numpy().astype(">f8"))
    numpy.savez("w.npz", w=pair.numpy())
    torch.save({"nested": {"w": pair, "float8": pair.to(torch.float8_e5m2)}, "list": [torch.arange(2)]}, "w.pt")
    torch.save(torch.nn.Parameter(pair), "parameter.pt")
    safetensors.torch.save_file({"w": pair.bfloat16()}, "w.safetensors")
    Path("w.csv").write_text("a;b\n1;2\n")
    Path("complex.csv").write_text("3+4j\n3\n")
    words = [word for name, written in options.items() for word in (f"--{name}", written)]
    said = ask("grad", expression, *words, "--format", "code")
    assert said.code == 0, said.err
    code = f"{said.out}\nprint(A.tolist(), A.grad.tolist(), A.dtype)"
    assert run(code)[1].splitlines()[-1:] == [printed]
    result = gradcli.grad(expression, **options)
    view = result.inputs["A"]
    assert view.grad is not None
    assert f"{view.value.tolist()} {view.grad.tolist()} torch.{view.dtype}" == printed
