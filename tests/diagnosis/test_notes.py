"""Notes on answers: which codes, how serious, under which part of the text, about which input; or none."""

from __future__ import annotations

from typing import Any

import pytest

import gradcli
from tests.cases import rows

ROWS = rows("notes")
SHARED = ("text", "notes")


def options_of(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in SHARED}


def found(answer: Any, text: str) -> list[list[Any]]:
    return [
        [note.code, note.level, text[slice(*note.span)] if note.span else None, note.subject] for note in answer.notes
    ]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['text']} {options_of(row)}"[:60])
def test_notes_on_an_answer(row: dict[str, Any]) -> None:
    answer = gradcli.grad(row["text"], **options_of(row))
    assert found(answer, row["text"]) == row["notes"]
    assert all(note.message.endswith((".", "(--at).")) and "{" not in note.message for note in answer.notes)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['text']} {options_of(row)}"[:60])
def test_no_notes_where_none_are_asked_for(row: dict[str, Any]) -> None:
    answer = gradcli.grad(row["text"], **options_of(row), notes=False)
    assert answer.notes == ()


def message(text: str, code: str | None = None, **options: Any) -> str:
    (one,) = [note.message for note in gradcli.grad(text, **options).notes if note.code == code]
    return one


MESSAGES: list[tuple[str, dict[str, Any], str | None, str]] = [
    (
        "A**2+16",
        {"at": 5.0, "mode": "no_grad"},
        "G101",
        "no_grad was on: A**2+16 has no grad_fn, so backward() cannot run from it. A still requires grad; "
        "its .grad is None because backward() has not run.",
    ),
    (
        "A*B",
        {"at": {"A": 1.0, "B": 2.0}, "mode": "no_grad"},
        "G101",
        "no_grad was on: A*B has no grad_fn, so backward() cannot run from it. A and B still require grad; "
        "their .grad is None because backward() has not run.",
    ),
    (
        "with torch.no_grad():\n    B = A**2\nB + 16",
        {"at": 5.0},
        "G101",
        "A**2 was computed where gradients are off, so nothing of it was recorded: it does not require grad. "
        "A still requires grad; its .grad is None because no path leads back to it.",
    ),
    (
        "A.detach()*3",
        {"at": 5.0},
        "G102",
        "A.detach() gives the numbers without the graph: the path from A to the result is cut here, "
        "so its .grad is None.",
    ),
    (
        "argmax(A)",
        {"at": [1.0, 3.0]},
        "G103",
        "argmax(A) gives int64 numbers, which have no derivative: the path from A to the result is cut here, "
        "so its .grad is None.",
    ),
    (
        "A*5",
        {"at": {"A": 1.0, "B": 2.0}},
        "G104",
        "B is not used: the result does not depend on it, so its .grad is None, which is not zero.",
    ),
    (
        "A*5",
        {"at": [1.0, 2.0]},
        "G201",
        "the output has 2 elements, so its sum was differentiated. Other ways: --reduce mean, --upstream V.",
    ),
    ("A*5", {}, None, "A was not given a value, so it is 5.0 (--at)."),
    ("import torch\nA*5", {"at": 1.0}, None, "not needed here: import torch is left out."),
    (
        "А*A",
        {"at": {"А": 1.0, "A": 2.0}},
        None,
        "'А' has Cyrillic letters and only looks like 'A': they are two inputs.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options", "code", "words"), MESSAGES, ids=[row[0] for row in MESSAGES])
def test_a_note_says_what_happened_here(text: str, options: dict[str, Any], code: str | None, words: str) -> None:
    assert message(text, code, **options) == words


def test_an_evaluation_says_that_backward_did_not_run() -> None:
    answer = gradcli.evaluate("loss = A*5\nloss.backward()", at=1.0)
    assert answer.inputs["A"].grad is None
    assert answer.notes[-1].message.startswith("backward() was not run: ")
    assert answer.notes[-1].span == (11, 26)


def test_an_evaluation_in_a_block_says_so_without_speaking_of_grad() -> None:
    (note,) = gradcli.evaluate("with torch.no_grad(): B = A**2 + 16", at=[5.0]).notes
    assert (note.code, note.level) == ("G101", "info")
    assert ".grad" not in note.message


def test_what_torch_warns_of_becomes_a_note() -> None:
    answer = gradcli.grad("F.mse_loss(A, B)", at={"A": [1.0, 2.0], "B": [[1.0, 2.0]]})
    assert any(note.message.startswith("torch warned: Using a target size") for note in answer.notes)
