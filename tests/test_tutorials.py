"""The two tutorials that gradcli comes from: each step of theirs, as a command, as a pasted snippet and in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gradcli
from tests.command_line import ask
from tests.language.test_snippets import NO_GRAD, UNSCALED
from tests.render.running import run


def answered(*words: str, **surroundings: Any) -> Any:
    said = ask(*words, "--json", **surroundings)
    assert said.code == 0, said
    return json.loads(said.out)


NO_GRAD_WAYS = [
    ["eval", "with torch.no_grad(): B = A**2 + 16", "--at", "[5.0]"],
    ["grad", "with torch.no_grad(): B = A**2 + 16", "--at", "[5.0]"],
    ["eval", "with torch.no_grad():\n    B = A**2 + 16\n", "--at", "A=[5.0]"],
    ["eval", "--no-grad", "B = A**2 + 16", "--at", "[5.0]"],
    ["eval", NO_GRAD],
    ["grad", NO_GRAD],
]


@pytest.mark.parametrize("words", NO_GRAD_WAYS, ids=range(len(NO_GRAD_WAYS)))
def test_disabling_gradients_with_no_grad(words: list[str]) -> None:
    found = answered(*words)
    (given,) = found["inputs"]
    output = found["output"]
    assert (given["name"], given["value"], given["grad"], given["requires_grad"]) == ("A", [5.0], None, True)
    assert (output["name"], output["value"]) == ("B", [41.0])
    assert (output["requires_grad"], output["grad_fn"]) == (False, None)


UNSCALED_WAYS = [
    ["grad", "A*5", "--at", "[5.0]"],
    ["grad", "loss = A*5", "--at", "[5.0]"],
    ["grad", "loss_function = A*5\nloss_function.backward()\nunscaled_grad = A.grad", "--at", "[5.0]"],
    ["grad", "(A*5).backward()", "--at", "[5.0]"],
    ["grad", UNSCALED],
]


@pytest.mark.parametrize("words", UNSCALED_WAYS, ids=range(len(UNSCALED_WAYS)))
def test_the_unscaled_gradient_of_a_tensor(words: list[str]) -> None:
    found = answered(*words)
    (given,) = found["inputs"]
    assert (given["name"], given["value"], given["grad"]) == ("A", [5.0], [5.0])
    assert (found["output"]["value"], found["output"]["grad_fn"]) == ([25.0], "MulBackward0")


@pytest.mark.parametrize("snippet", [NO_GRAD, UNSCALED])
def test_a_snippet_from_a_file_and_from_a_pipe_is_the_same(snippet: str, tmp_path: Path) -> None:
    (tmp_path / "snippet.py").write_text(snippet)
    found = [
        answered("grad", f"@{tmp_path / 'snippet.py'}"),
        answered("grad", "-", stdin=snippet),
        answered("grad", snippet),
    ]
    assert found[0] == found[1]
    assert {**found[2], "expression": snippet.rstrip()} == found[0]


@pytest.mark.parametrize("snippet", [NO_GRAD, UNSCALED])
def test_the_answer_is_what_the_snippet_itself_computes(snippet: str) -> None:
    variables, _ = run(snippet)
    answer = gradcli.grad(snippet)
    leaf, output = variables["A"], variables[str(answer.output.name)]
    assert answer.inputs["A"].value.tolist() == leaf.tolist()
    assert answer.inputs["A"].grad == leaf.grad or answer.inputs["A"].grad.tolist() == leaf.grad.tolist()  # type: ignore[union-attr]
    assert answer.inputs["A"].origin == "inside"
    assert answer.output.value.tolist() == output.tolist()
    assert (answer.output.requires_grad, answer.output.is_leaf) == (output.requires_grad, output.is_leaf)


def test_what_a_learner_could_take_away_wrongly_is_put_right() -> None:
    """A.grad is None because backward has not run; it is None without no_grad too; A itself keeps its flag."""
    without, within = gradcli.evaluate("A**2 + 16", at=5.0), gradcli.evaluate("A**2 + 16", at=5.0, mode="no_grad")
    assert without.inputs["A"].grad is None
    assert within.inputs["A"].grad is None
    assert without.inputs["A"].requires_grad
    assert within.inputs["A"].requires_grad
    assert (without.output.requires_grad, within.output.requires_grad) == (True, False)
    (note,) = within.notes
    assert note.code == "G101"
    assert "cannot run from it" in note.message
    assert "A still requires grad" in note.message
    assert "because backward() has not run" in note.message


def test_a_factory_inside_no_grad_still_makes_a_leaf_that_requires_grad() -> None:
    text = "with torch.no_grad():\n    A = torch.tensor([5.0], requires_grad=True)\nA*5"
    assert gradcli.grad(text).inputs["A"].grad.tolist() == [5.0]  # type: ignore[union-attr]


def test_more_than_one_element_needs_a_scalar_or_a_gradient() -> None:
    answer = gradcli.grad("(A*5).backward()", at=[5.0, 6.0])
    assert answer.inputs["A"].grad.tolist() == [5.0, 5.0]  # type: ignore[union-attr]
    assert "G201" in [note.code for note in answer.notes]
    with pytest.raises(gradcli.GradcliError, match="only for scalar outputs"):
        gradcli.grad("(A*5).backward()", at=[5.0, 6.0], reduce="none")


SLIPS = [
    ("А*5", "A*5"),
    ("A×5", "A*5"),
    ("A−5", "A-5"),
    ("“A”*5", "A*5"),
    ("A²", "A**2"),
    ("A^2", "A**2"),
    ("2A", "2*A"),
]


@pytest.mark.parametrize(("text", "instead"), SLIPS)
def test_what_readers_of_the_tutorials_paste_is_answered_or_explained(text: str, instead: str) -> None:
    said = ask("grad", text, "--at", "A=5.0")
    assert said.code == 2
    assert "^" in said.err
    assert "hint: " in said.err
    assert ask("grad", instead, "--at", "A=5.0").code == 0
