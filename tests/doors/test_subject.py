"""Where an expression comes from: the command line, a file, or standard input; a pasted snippet is one too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import ask
from tests.language.test_snippets import NO_GRAD, UNSCALED


def answered(*words: str, **surroundings: Any) -> Any:
    said = ask("grad", *words, "--json", **surroundings)
    assert said.code == 0, said
    return json.loads(said.out)


def test_a_file(tmp_path: Path) -> None:
    file = tmp_path / "snippet.py"
    file.write_text(UNSCALED)
    found = answered(f"@{file}")
    assert found["expression"] == UNSCALED.rstrip()
    assert found["inputs"][0]["grad"] == [5.0]


def test_standard_input() -> None:
    assert answered("-", "--at", "3", stdin="A*5\n")["output"]["value"] == 15.0
    assert answered("-", stdin=UNSCALED)["inputs"][0]["grad"] == [5.0]
    assert answered("-", stdin=NO_GRAD)["output"]["requires_grad"] is False


FORMS = [
    b"A*5",
    b"A*5\n",
    b"A*5\r\n",
    b"\xef\xbb\xbfA*5\n",
    b"import torch\r\nA*5\r\nprint(A)\r\n",
    b"# -*- coding: utf-8 -*-\nA*5",
    "变 = A*5  # 變".encode(),
]


@pytest.mark.parametrize("data", FORMS)
def test_bytes_that_are_text(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "f.py").write_bytes(data)
    assert answered("-", "--at", "2", stdin=data)["output"]["value"] == 10.0
    assert answered(f"@{tmp_path / 'f.py'}", "--at", "2")["output"]["value"] == 10.0


REFUSED = [
    ("-", b"", "the expression is empty"),
    ("-", b"\n\n", "the expression is empty"),
    ("-", b"\xff\xfe", "standard input is not UTF-8 text: byte 0"),
    ("-", b"A*5\xc3", "standard input is not UTF-8 text: byte 3"),
    ("-", b"A" * 20_000, "the expression has 20,000 characters, and at most 10,000 are read"),
]


@pytest.mark.parametrize(("subject", "data", "message"), REFUSED)
def test_bytes_that_are_refused(subject: str, data: bytes, message: str) -> None:
    said = ask("grad", subject, stdin=data)
    assert said.code == 2
    assert said.err.splitlines()[0] == f"error: {message}"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\x80")
    for path, message in [
        ("missing.py", "cannot read missing.py: no such file or directory"),
        (str(tmp_path), f"{tmp_path} is a directory"),
        (str(tmp_path / "binary"), f"{tmp_path / 'binary'} is not UTF-8 text: byte 0"),
        ("", "the name of the file is missing"),
        ("nul\0byte", "cannot read nul\\x00byte"),
    ]:
        said = ask("grad", f"@{path}")
        assert said.code == 2, path
        assert said.out == ""
        assert message in said.err.splitlines()[0]


def test_an_error_in_a_file_is_shown_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "snippet.py"
    file.write_text("import torch\n\nB = A*2\nC = sine(B)\n")
    said = ask("grad", f"@{file}")
    assert said.err == "error: unknown function 'sine'\n  C = sine(B)\n      ^^^^\nhint: did you mean 'sin'?\n"
