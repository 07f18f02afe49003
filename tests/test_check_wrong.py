"""Wrong derivatives are caught: each wrong function is recognised and named, and its right twin passes."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import gradcli
from tests.checking import wrong
from tests.command_line import ask

X = [0.3, -1.2, 2.5]
AB = {"a": [0.5, -1.5, 2.0], "b": [3.0, 0.25, -0.75]}
SQUARE = {"a": [[1.0, 2.0], [3.0, -1.0]], "b": [[0.5, -2.0], [1.5, 4.0]]}
ROWS = [[0.3, -1.2, 2.5], [1.1, 0.4, -0.6]]


class Case(NamedTuple):
    """A wrong function, a right one, the point, and what the verdict on the wrong one says."""

    wrong: str
    right: str
    at: Any
    says: str
    code: str | None = None
    second: bool = False
    passed: bool | None = False


CASES = (
    Case("WrongSign", "RightSine", X, "the sign is wrong"),
    Case("MissingFactor", "RightSquare", X, "every element is 0.5 times what it should be"),
    Case("SlightlyOff", "RightSquare", X, "differences give"),
    Case("Transposed", "RightMatrixProduct", SQUARE, "the gradient of a is transposed"),
    Case("NotTransposed", "RightMatrixProduct", SQUARE, "a[0, 0]: reverse mode gives"),
    Case("MissingTerm", "RightTerms", X, "differences give"),
    Case("Swapped", "RightProduct", AB, "the gradients of a and b are in each other's place"),
    Case("swapped_in_a_function", "right_in_a_function", AB, "differences give"),
    Case("two_outputs", "right_two_outputs", X, "differences give"),
    Case("detached_part", "right_part", X, "differences give"),
    Case("without_grad", "with_grad", X, "differences give"),
    Case("straight_through", "RightUnchanged", X, "differences give 0"),
    Case("OneElement", "RightSquare", X, "1 of 3 elements of x differ"),
    Case("OnlyNegative", "RightSquare", X, "x[1]: reverse mode gives"),
    Case("IgnoresUpstream", "RightSquare", X, "only gradients of 1 come back right"),
    Case("Clips", "RightSquare", X, "only gradients of 1 come back right"),
    Case("WrongDimension", "RightSoftmax", ROWS, "only gradients of 1 come back right"),
    Case("BroadcastNotSummed", "RightBias", {"x": ROWS, "b": X}, "every element is 0.5 times what it should be"),
    Case("Unchanged", "RightUnchanged", X, "every element is 2 times what it should be"),
    Case("View", "RightView", X, "only gradients of 1 come back right"),
    Case("NotANumber", "RightSine", X, "reverse mode gives nan; differences give"),
    Case("NoGradient", "RightSine", X, "NoGradient's backward returns None for x", "G209"),
    Case("ForgetsOne", "RightProduct", AB, "ForgetsOne's backward returns None for b", "G209"),
    Case("TooFewGradients", "RightProduct", AB, "returns 1 gradient, and its forward takes 2 inputs", "G209"),
    Case("TooManyGradients", "RightSine", X, "returns 2 gradients, and its forward takes 1 input", "G209"),
    Case("WrongShape", "RightSine", X, "a gradient of shape [2] for x, which has shape [3]", "G209"),
    Case("SummedToOneNumber", "RightSine", X, "a gradient of shape [] for x, which has shape [3]", "G209"),
    Case("NoTensor", "RightSine", X, "its backward returns a float where a tensor or None is due", "G209"),
    Case("NoBackward", "RightSine", X, "You must implement either the backward or vjp method", "G209"),
    Case("Raises", "RightSine", X, "its backward fails: ValueError: not today"),
    Case("RandomForward", "RightSquare", X, "not deterministic: two evaluations at the same inputs differ"),
    Case("RandomBackward", "RightSquare", X, "not deterministic: two backward passes"),
    Case("SingleInside", "RightSquare", X, "it computes in float32 inside", passed=True),
    Case("SingleInsideAndWrong", "RightSquare", X, "differences give"),
    Case("SingleBackward", "RightSquare", X, "its backward computes in float32"),
    Case("WritesIntoItsInput", "WritesAndSaysSo", X, "it writes into its input x and does not say so", "G209"),
    Case("WritesAndIsWrong", "WritesAndSaysSo", X, "every element is 0.5 times what it should be"),
    Case("changed_after_saving", "right_after_saving", X, "modified by an inplace operation", "G202"),
    Case("WrongForward", "RightForward", X, "forward mode is wrong"),
    Case("SecondOrderOff", "RightTerms", X, "second derivative: x[0]: reverse mode gives", None, True),
    Case("SavedIntermediate", "SavedInput", X, "a tensor of shape (3) that forward computed and saved", "G206", True),
    Case(
        "Once",
        "RightSquare",
        X,
        "it has no second derivative: its backward is marked once_differentiable",
        "G206",
        True,
    ),
)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.wrong)
def test_a_wrong_derivative_is_caught(case: Case) -> None:
    found = gradcli.check(getattr(wrong, case.wrong), at=case.at, second_order=case.second)
    assert found.passed is case.passed, found.verdict
    assert case.says in found.verdict
    assert [note.code for note in found.notes if note.code] == ([case.code] if case.code else [])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.wrong)
def test_its_right_twin_passes(case: Case) -> None:
    found = gradcli.check(getattr(wrong, case.right), at=case.at, second_order=case.second)
    assert found.passed is True, found.verdict
    assert not found.exit_no


@pytest.mark.parametrize("case", [case for case in CASES if case.second], ids=lambda case: case.wrong)
def test_what_is_wrong_in_the_second_derivative_only_passes_without_it(case: Case) -> None:
    assert gradcli.check(getattr(wrong, case.wrong), at=case.at).passed is True


def test_what_torch_repairs_is_right() -> None:
    assert gradcli.check(wrong.BroadcastLeftToTorch, at={"x": ROWS, "b": X}).passed is True


# The same from a shell, by file and by module.

PLACES = ("tests/checking/wrong.py", "tests.checking.wrong")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("case", CASES[::6], ids=lambda case: case.wrong)
def test_from_a_shell(case: Case, place: str, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    monkeypatch.chdir(pytestconfig.rootpath)
    values = case.at if isinstance(case.at, dict) else {"x": case.at}
    given = [word for name, value in values.items() for word in ("--at", f"{name}={value}")]
    options = ["--second-order"] if case.second else []
    said = ask("check", f"{place}:{case.wrong}", *given, *options)
    assert (said.code, case.says in " ".join(said.out.split())) == (1, True), said
    said = ask("check", f"{place}:{case.right}", *given, *options)
    assert (said.code, "passed: " in said.out) == (0, True), said
