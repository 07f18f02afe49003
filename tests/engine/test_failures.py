"""torch's own refusals: under the sub-expression that failed, with the shapes of its operands, and exit code 3."""

from __future__ import annotations

from typing import Any

import pytest

import gradcli
from gradcli.errors import ExitCode

M = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]

# text, values, the part at fault, words of torch's message, hint
TABLE: list[tuple[str, Any, str, str, str | None]] = [
    ("sin(A @ B)", {"A": M, "B": M}, "A @ B", "cannot be multiplied", "2×3, 2×3"),
    ("A @ B", {"A": [1, 2], "B": [1, 2, 3]}, "A @ B", "", "2, 3"),
    ("1 + (A + B)*2", {"A": [1, 2], "B": [1, 2, 3]}, "A + B", "must match the size", "2, 3"),
    ("A*2 + B[5]", {"A": 1, "B": [1, 2]}, "B[5]", "out of bounds", "2"),
    ("A.reshape(4, 4)", M, "A.reshape(4, 4)", "invalid for input of size 6", "2×3"),
    ("cat([A, B])", {"A": [1.0], "B": M}, "cat([A, B])", "", "1, 2×3"),
    ("A.sum(5)", M, "A.sum(5)", "Dimension out of range", "2×3"),
    ("B = A*2\nC = linalg.inv(B)\nC*2", M, "linalg.inv(B)", "must be batches of square matrices", "2×3"),
    ("linalg.cholesky(A)", [[1.0, 2.0], [2.0, 1.0]], "linalg.cholesky(A)", "", "2×2"),
    ("linalg.inv(A - A)", [[1.0]], "linalg.inv(A - A)", "singular", "1×1"),
    ("F.cross_entropy(A, 1.5)", M, "F.cross_entropy(A, 1.5)", "", "2×3"),
    ("sort(A).S", [1.0, 2.0], "sort(A).S", "which has no field 'S'", None),
    ("~A", 1.0, "~A", "", "one number"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "at", "part", "words", "hint"), TABLE, ids=[row[0] for row in TABLE])
def test_torchs_refusal_stands_under_the_step(text: str, at: Any, part: str, words: str, hint: str | None) -> None:
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.grad(text, at=at)
    error = caught.value
    assert (error.kind, error.exit_code) == ("torch", ExitCode.TORCH)
    assert error.span is not None
    assert text[error.span.start : error.span.end] == part
    assert error.message.startswith("torch: ")
    assert words in error.message
    assert "\n" not in error.message
    assert error.source == text
    assert hint is None or (error.hint is not None and all(shape in error.hint for shape in hint.split(", ")))


# Refusals that a diagnosis explains: text, values, options, code, the part at fault
CODED: list[tuple[str, Any, dict[str, Any], str, str]] = [
    ("B = exp(A)\nB += 1\nB*2", 1.0, {}, "G202", "B += 1"),
    ("A += 1\nA*2", 1.0, {}, "G203", "A += 1"),
    ("A.add_(1)", 1.0, {}, "G203", "A.add_(1)"),
    ("A[0] = 1\nA*2", [1.0, 2.0], {}, "G203", "A[0] = 1"),
    ("A*(1 + 2j)", 1.0, {}, "G205", "A*(1 + 2j)"),
    ("A*A", 1 + 2j, {}, "G205", "A*A"),
    ("A*2", 1.0, {"dtype": "complex64"}, "G205", "A*2"),
    ("with torch.inference_mode():\n    B = A*2\nA*B", 1.0, {}, "G207", "A*B"),
    ("with torch.inference_mode():\n    B = A*2\nB.requires_grad_()", 1.0, {}, "G207", "B.requires_grad_()"),
    ("B = A.clone().expand(3)\nB += 1\nB", 1.0, {}, "G208", "B += 1"),
    ("A // 2", 5.0, {}, "G210", "A // 2"),
    ("heaviside(A, B)", {"A": 1.0, "B": 2.0}, {}, "G210", "heaviside(A, B)"),
]


# Writes over what was saved: text, values, the step that wrote, words of the message, what to write instead.
OVERWRITTEN: list[tuple[str, Any, str, str, str]] = [
    ("B = exp(A)\nB += 1\nB*2", 1.0, "B += 1", "the result of exp(A),", "write B = B + 1 instead of B += 1"),
    ("B = exp(A)\nB -= A*2\nB", 1.0, "B -= A*2", "the result of exp(A),", "write B = B - (A*2) instead of B -= A*2"),
    ("sigmoid(A).mul_(2).sum()", 1.0, "sigmoid(A).mul_(2)", "of sigmoid(A),", "write sigmoid(A).mul(2) instead of"),
    ("B = A + 1\nC = B*B\nB.zero_()\nC", 1.0, "B.zero_()", "what B*B read,", "B = B.clone(); B.zero_()"),
    ("B = A + 1\nC = B*B\nB.add_(2)\nC", 1.0, "B.add_(2)", "what B*B read,", "write B = B.add(2) instead of B.add_(2)"),
    ("B = sqrt(A)\nB[0] = 0\nB.sum()", [1.0, 4.0], "B[0] = 0", "of sqrt(A),", "write sqrt(A).clone() instead"),
    ("C = A**2\nB = A.detach()\nB.add_(1)\nC", 3.0, "B.add_(1)", "what A**2 read,", "write B = B.add(1) instead"),
    ("B = tanh(A)\nF.relu(B, inplace=True)\nB", -1.0, "F.relu(B, inplace=True)", "of tanh(A),", "tanh(A).clone()"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "at", "part", "words", "hint"), OVERWRITTEN, ids=[row[0] for row in OVERWRITTEN])
def test_the_step_that_wrote_over_what_was_saved_is_named(text: str, at: Any, part: str, words: str, hint: str) -> None:
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.grad(text, at=at)
    error = caught.value
    assert error.code == "G202"
    assert error.span is not None
    assert text[slice(*error.span)] == part
    assert words in error.message
    assert hint in str(error.hint)


@pytest.mark.parametrize(("text", "at", "options", "code", "part"), CODED, ids=[row[0] for row in CODED])
def test_a_refusal_that_concerns_autograd_has_its_code(
    text: str, at: Any, options: dict[str, Any], code: str, part: str
) -> None:
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.grad(text, at=at, **options)
    error = caught.value
    assert (error.code, error.exit_code) == (code, ExitCode.TORCH)
    assert error.span is not None
    assert text[error.span.start : error.span.end] == part
    assert error.hint


NOT_ANSWERS = [
    ("5*2", "the answer is 10, an int"),
    ("A.shape", "the answer is torch.Size([]), a tuple of 0"),
    ("A.dtype", "the answer is torch.float32, a dtype"),
    ("B = 5", "the answer is 5, an int"),
    ("A.requires_grad", "the answer is True, a bool"),
    ("[A, 2]", "the answer is [tensor(5., requires_grad=True), 2], a list"),
]


@pytest.mark.parametrize(("text", "message"), NOT_ANSWERS)
def test_an_answer_is_a_tensor(text: str, message: str) -> None:
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.grad(text)
    assert (caught.value.kind, caught.value.message, caught.value.exit_code) == ("value", message, 2)
    assert caught.value.span is not None


def test_reduce_none_is_torchs_own_refusal() -> None:
    with pytest.raises(gradcli.GradcliError, match="only for scalar outputs") as caught:
        gradcli.grad("A*5", at=[1.0, 2.0], reduce="none")
    assert caught.value.exit_code == 3
    assert gradcli.grad("A*5", at=[1.0], reduce="none").inputs["A"].grad == 5.0


@pytest.mark.parametrize("upstream", [[1.0, 2.0, 3.0], [[1.0], [2.0]]])
def test_an_upstream_gradient_of_another_shape_is_torchs_refusal(upstream: Any) -> None:
    with pytest.raises(gradcli.GradcliError, match="Mismatch in shape") as caught:
        gradcli.grad("A*5", at=[1.0, 2.0], upstream=upstream)
    assert caught.value.exit_code == 3


def test_an_upstream_gradient_needs_one_output() -> None:
    with pytest.raises(gradcli.GradcliError, match="needs one output") as caught:
        gradcli.grad("A, A*2", at=[1.0, 2.0], upstream=[1.0, 2.0])
    assert caught.value.exit_code == 2


def test_a_gradient_is_given_in_the_text_or_by_option_but_not_both() -> None:
    text = "loss = A*5\nloss.backward(gradient=torch.tensor([1.0, 2.0]))"
    assert gradcli.grad(text, at=[1.0, 1.0]).inputs["A"].grad.tolist() == [5.0, 10.0]  # type: ignore[union-attr]
    with pytest.raises(gradcli.GradcliError, match="--upstream gives another"):
        gradcli.grad(text, at=[1.0, 1.0], upstream=[1.0, 1.0])


def test_the_wrong_number_of_names_on_the_left() -> None:
    assert len(gradcli.grad("a, b = A", at=[1.0, 2.0]).outputs) == 2
    with pytest.raises(gradcli.GradcliError, match="3 names on the left, and 2 values on the right"):
        gradcli.grad("a, b, c = A", at=[1.0, 2.0])
