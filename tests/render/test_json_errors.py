"""Errors in JSON: one object on standard output, with the command that was asked and the inner `error` of the API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.render.test_json import document

ERRORS: list[tuple[tuple[str, ...], int, dict[str, Any]]] = [
    (
        ("grad", "sine(A)"), 2,
        {"kind": "name", "code": None, "message": "unknown function 'sine'", "span": [0, 4],
         "hint": "did you mean 'sin'?"},
    ),
    (
        ("eval", "A.item()"), 2,
        {"kind": "autograd", "code": "G108", "message": ".item() gives a Python number, which autograd cannot follow",
         "span": [0, 6], "hint": "leave it out: the answer shows the numbers"},
    ),
    (
        ("grad", "A*5", "--at", "[1, [2]]"), 2,
        {"kind": "value", "code": None, "message": "the value of A is ragged: its rows have different lengths",
         "span": None, "hint": "every row needs the same number of numbers"},
    ),
    (
        ("grad", "A*5", "--at", "A=hello"), 2,
        {"kind": "value", "code": None, "message": "the value of A cannot use the name 'hello'",
         "span": None, "hint": "write numbers, [lists], or a call such as randn(3, 4)"},
    ),
    (
        ("grad", "A*5", "--nonsense"), 2,
        {"kind": "usage", "code": None, "message": "unknown option --nonsense", "span": None},
    ),
    (
        ("grad", "exp(A @ B)", "--at", "A=[[1,2]]", "--at", "B=[[1,2]]"), 3,
        {"kind": "torch", "code": None, "span": [4, 9]},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("words", "code", "facts"), ERRORS, ids=[" ".join(words) for words, _, _ in ERRORS])
def test_an_error_is_an_object_on_standard_output(words: tuple[str, ...], code: int, facts: dict[str, Any]) -> None:
    found = document(*words, code=code)
    assert list(found) == ["schema", "command", "status", "error"]
    assert (found["schema"], found["command"], found["status"]) == ("gradcli/1", words[0], "error")
    assert list(found["error"]) == ["kind", "code", "message", "span", "hint"]
    assert {name: found["error"][name] for name in facts} == facts
