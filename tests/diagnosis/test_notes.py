"""Notes on answers: which codes, how serious, under which part of the text, about which input; or none."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import gradcli
from tests.cases import rows, write

ROWS = rows("notes")
SHARED = ("text", "notes")


def options_of(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in SHARED}


def found(row: dict[str, Any]) -> list[list[Any]]:
    """Code, level, the part of the text, the input, and the words of each note."""
    text = row["text"]
    answer = gradcli.grad(text, **options_of(row))
    return [
        [note.code, note.level, text[slice(*note.span)] if note.span else None, note.subject, note.message]
        for note in answer.notes
    ]


def named(row: dict[str, Any]) -> str:
    return f"{row['text']} {options_of(row)}"[:60]


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_notes_on_an_answer(row: dict[str, Any]) -> None:
    assert [note[:4] for note in found(row)] == [note[:4] for note in row["notes"]]


def test_the_words_are_rewritten_where_that_is_asked_for(rewrite: bool) -> None:
    if rewrite:
        write("notes", [{**row, "notes": found(row)} for row in ROWS])


@pytest.mark.parametrize("row", [row for row in ROWS if row["notes"]], ids=named)
def test_a_note_says_what_happened_here(row: dict[str, Any], rewrite: bool) -> None:
    said = [note[4] for note in found(row)]
    assert rewrite or said == [note[4] for note in row["notes"]]
    assert all(one.endswith((".", ")")) and "{" not in one for one in said)


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_no_notes_where_none_are_asked_for(row: dict[str, Any]) -> None:
    assert gradcli.grad(row["text"], **options_of(row), notes=False).notes == ()


def test_an_evaluation_says_that_backward_did_not_run() -> None:
    answer = gradcli.evaluate("loss = A*5\nloss.backward()", at=1.0)
    assert answer.inputs["A"].grad is None
    assert answer.notes[-1].message.startswith("backward() was not run: ")
    assert answer.notes[-1].span == (11, 26)


def test_an_evaluation_in_a_block_says_so_without_speaking_of_grad() -> None:
    (note,) = gradcli.evaluate("with torch.no_grad(): B = A**2 + 16", at=[5.0]).notes
    assert (note.code, note.level) == ("G101", "info")
    assert ".grad" not in note.message


def test_a_step_in_place_is_called_by_its_text() -> None:
    said = [one.message for one in gradcli.grad("B = A*1\nwith torch.no_grad():\n    B -= 0.1*B\nB**2", at=1.0).notes]
    assert [one.partition(" is ")[0] for one in said] == ["B -= 0.1*B"]
    assert not gradcli.grad("with torch.no_grad():\n    A -= 0.1*A\nA**2", at=1.0).notes  # a step of an optimizer
    assert not gradcli.grad("with torch.no_grad():\n    A.requires_grad_()\nA**2", at=1.0).notes


def test_what_torch_warns_of_becomes_a_note() -> None:
    answer = gradcli.grad("F.mse_loss(A, B)", at={"A": [1.0, 2.0], "B": [[1.0, 2.0]]})
    assert any(note.message.startswith("torch warned: Using a target size") for note in answer.notes)


def test_a_view_made_in_a_block_is_no_leaf_of_its_own_though_torch_calls_it_one() -> None:
    answer = gradcli.grad("with torch.no_grad():\n    B = A[0]\nB*2", at=[1.0, 2.0])
    assert list(answer.inputs) == ["A"]
    (note,) = answer.notes
    assert (note.code, note.span) == ("G101", (30, 34))
    assert "B = A[0] was computed where gradients are off" in note.message
    assert "it has no grad_fn" in note.message


def test_a_view_that_is_written_to_under_no_grad_is_no_input() -> None:
    text = "loss, k = torch.atan_(A)\nloss[[0, 1]] *= 2\nloss.sum()"
    answer = gradcli.grad(text, at=[[1.0, 2.0], [3.0, 4.0]], mode="no_grad")
    assert list(answer.inputs) == ["A"]
    assert [note.code for note in answer.notes] == ["G101"]


SILENT = [
    ("F.hinge_embedding_loss(A, B)", {"A": [1.0, 2.0], "B": [1.0, -1.0]}, "B"),
    ("3*F.cosine_embedding_loss(A, B, C)", {"A": [[1.0, 2.0]], "B": [[1.0, 0.0]], "C": [1.0]}, "C"),
    ("torch.linalg.vector_norm(A, ord=0)", {"A": [1.0, 2.0]}, "A"),
]


@pytest.mark.parametrize(("text", "at", "name"), SILENT)
def test_an_operation_that_depends_on_an_input_and_gives_it_no_gradient(
    text: str, at: dict[str, Any], name: str
) -> None:
    (note,) = gradcli.grad(text, at=at).notes
    assert (note.code, note.subject) == ("G103", name)
    assert f"has no derivative by {name}" in note.message


@pytest.mark.parametrize(
    ("verify", "count", "told"),
    [(False, 8_192, True), (False, 8_193, False), (None, 100_000, True), (None, 100_001, False), (True, 100_001, True)],
)
def test_kinks_are_looked_for_among_as_many_elements_as_is_said(verify: bool | None, count: int, told: bool) -> None:
    values = torch.linspace(1, 2, count)
    values[count // 2] = 0.0
    for _ in range(3):
        notes = gradcli.grad("abs(A).sum()", at=values, verify=verify).notes
        assert ("G501" in [note.code for note in notes]) == told
