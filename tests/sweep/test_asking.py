"""What a sweep goes over: inputs with a range, and those that are named; what cannot be swept is told what to write."""

from __future__ import annotations

from typing import Any

import pytest

import gradcli

REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"at": {"A": 1.0}}, "no input is swept: none has a range", "--at A=-5:5:101, or --over A for a list of values"),
    ({"at": {"A": 1.0}, "over": "B"}, "--over names 'B', which is not an input", "the inputs: A"),
    (
        {"at": {"A": 1.0}, "over": "A=0:10:101"},
        "--over names 'A=0:10:101', which is not an input",
        "a range is a value: --at A=0:10:101",
    ),
]


@pytest.mark.parametrize(("asked", "message", "hint"), REFUSED, ids=str)
def test_what_cannot_be_swept_is_told_what_to_write(asked: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(gradcli.GradcliError) as error:
        gradcli.sweep("A**2", **asked)
    assert (error.value.message, error.value.hint) == (message, hint)


def test_more_than_two_inputs_and_constants_are_refused() -> None:
    ranged = dict.fromkeys("ABC", "-1:1:3")
    with pytest.raises(gradcli.GradcliError, match="at most 2 inputs are swept at once, and these are 3: A, B, C"):
        gradcli.sweep("A*B*C", at=ranged)
    with pytest.raises(gradcli.GradcliError, match="B is a constant, and what is swept requires grad"):
        gradcli.sweep("A*B", at={"A": "-1:1:3"}, const={"B": [1.0, 2.0]}, over="B")
