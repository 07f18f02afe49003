"""Formulas that should be the same: where they part, which is right, and what cannot be told."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

import gradcli
from tests.command_line import ask

SOFTPLUS = ["log(1+exp(A))", "F.softplus(A)"]

JUDGED: list[tuple[list[str], Any, list[bool | None], str]] = [
    (SOFTPLUS, 1.0, [True, True], "they agree, and many-digit arithmetic gives the same"),
    (SOFTPLUS, 1000.0, [False, True],
     "they part: log(1+exp(A)) overflows at exp(A) = inf; F.softplus(A) is right (value 1000, slope 1)"),
    (list(reversed(SOFTPLUS)), 1000.0, [True, False],
     "they part: log(1+exp(A)) overflows at exp(A) = inf; F.softplus(A) is right (value 1000, slope 1)"),
    (["log(softmax(A, 0))", "log_softmax(A, 0)"], [1.0, 1000.0], [False, True],
     "they part: log(softmax(A, 0)) gives -inf at log(softmax(A, 0)); log_softmax(A, 0) is right"),
    (["log(1+A)", "log1p(A)"], [1e-9, 1.0], [False, True],
     "they part: log(1+A) loses its digits at log(1+A): value[0] is 0, not 1e-09; log1p(A) is right"),
    (["A**2", "A*A", "A.square()"], [1.0, -2.0], [True] * 3, "they agree, and many-digit arithmetic gives the same"),
    (["sqrt(A*A)", "hypot(A, zeros_like(A))"], 1e-30, [False, True],
     "they part: sqrt(A*A) underflows at A*A = 0: value is 0, not 1e-30; hypot(A, zeros_like(A)) is right "
     "(value 1e-30, slope 1)"),
    (["where(A > 1, sqrt(A-1), A)", "A*1"], 1.0, [False, True],
     "they part: where(A > 1, sqrt(A-1), A) goes wrong on the way back, where nan arrives at A-1: A.grad is nan, not "
     "1; A*1 is right (value 1, slope 1)"),
    (["A**2", "A**3"], 2.0, [None, None], "they are different functions: exactly, value is A**2 4, A**3 8"),
    (["A*2", "A*2 + 0*exp(A)", "A**2"], 2.0, [None] * 3, "they are different functions: exactly, A.grad is A*2 2"),
    (["A", "A.sum()"], [1.0, 2.0], [None, None], "they part: A gives (2), A.sum() gives ()"),
    (["A", "A, A"], 1.0, [None, None], "they part: A gives (), A, A gives () and ()"),
    (["relu(A)", "clamp(A, min=0)"], [0.0, 1.0], [None, None],
     "they part where one of them has no derivative: A.grad[0] is 0 and 1"),
    (["A.detach()*1", "A"], 3.0, [False, True],
     "they part: A.detach()*1 leaves A.grad None, where it is 1; A is right (value 3, slope 1)"),
    (["A.detach()*A", "A*A.detach()"], 3.0, [True, True], "they agree"),
    (["A.detach()*A", "A*2-A+A.detach()"], 2.0, [None, None],
     "they part: A.grad is 2 and 1, and which is right cannot be told"),
    (["A > 1", "A >= 1"], [1.0, 2.0], [None, None], "they part: value[0] is False and True, and"),
    (["A*randn(3)", "randn(3)*A"], 2.0, [None, None], "they agree"),
    (["exp(A)", "exp(A)*1"], 1000.0, [True, True], "they agree"),
    (["A.half()*60000*2", "A.half()*120000"], 3.0, [False, False], "they agree, and all are wrong: "),
    (["linalg.inv(A)", "linalg.pinv(A)"], [[0.0, 0.0], [0.0, 0.0]], [None, None], "torch refuses linalg.inv(A)"),
    (["A*1j", "1j*A"], 1.0, [None, None], "torch refuses to go back from A*1j and 1j*A"),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "at", "right", "said"), JUDGED)
def test_verdicts(texts: list[str], at: Any, right: list[bool | None], said: str) -> None:
    found: Any = gradcli.compare(texts, at=at)
    assert found.verdict.startswith(said)
    assert [one.right for one in found.columns] == right
    told = [note.level for note in found.notes if note.message == found.verdict]
    assert told == ["warning"] * (not said.startswith("they agree") or "wrong" in said)


def test_disagreement_is_a_warning_for_strict() -> None:
    words = ["compare", *SOFTPLUS, "--at", "1000"]
    assert ask(*words).code == 0
    for more in ([], ["--json"], ["--no-notes"], ["-q"], ["--format", "csv"]):
        assert ask(*words, "--strict", *more).code == 1
    assert ask("compare", *SOFTPLUS, "--at", "1", "--strict").code == 0


def test_the_verdict_is_shown_once() -> None:
    shown = ask("compare", *SOFTPLUS, "--at", "1000", columns=300).out
    assert shown.count("overflows at") == 1


def test_formulas_have_the_inputs_of_all() -> None:
    found: Any = gradcli.compare(["A*B/B", "A"], at={"A": 2.0, "B": 3.0})
    assert found.verdict.startswith("they agree")
    assert [one.unused for one in found.columns] == [(), ("B",)]
    told = [(note.code, note.level, note.message) for note in found.notes]
    same = "A*B/B is the same whatever B is: B.grad is a computed 0, not None."
    assert told == [("G403", "info", same), (None, "info", "A does not use B.")]
    assert [one.grads["B"] if one.grads["B"] is None else float(one.grads["B"]) for one in found.columns] == [0.0, None]


def test_an_input_that_none_uses_is_told_once() -> None:
    found = gradcli.compare(["A*2", "A+A"], at={"A": 2.0, "C": 3.0})
    assert [note.code for note in found.notes] == ["G104"]


def test_one_value_is_that_of_the_only_input() -> None:
    assert gradcli.compare(["A*2", "2*A", "A+A"]).notes[0].message == "A was not given a value, so it is 5.0 (--at)."
    said = ask("compare", "A*B", "A+C", "--at", "A=1", "--at", "C=2")
    assert (said.code, said.err.splitlines()[:2]) == (2, ["error: no value for B", "  A*B"])
    said = ask("compare", "A", "B", "--at", "1")
    assert said.err.splitlines()[0] == "error: the value does not say which input it is for: A, B"


def test_an_error_points_into_the_formula_that_it_is_about() -> None:
    said = ask("compare", "A", "A*B.shape[0]", "A, 2", "--at", "A=1", "--const", "B=[1, 2]")
    assert said.err.splitlines() == [
        "error: the answer is 2, an int", "  A, 2", "     ^",
        "hint: a comma makes several answers; a decimal point is written as a point: 5.0",
    ]  # fmt: skip


def test_draws_of_values_are_the_same_for_all() -> None:
    found: Any = gradcli.compare(["A*1", "A"], at="randn(5)", seed=3)
    torch.testing.assert_close(found.columns[0].outputs[0].value, found.columns[1].outputs[0].value, rtol=0, atol=0)


def test_columns_of_notes_count_in_the_text_of_all() -> None:
    found = gradcli.compare(["A*1", "A.detach()"], at=[1.0, 2.0]).to_dict()
    for note in found["notes"]:
        if note["code"] == "G102":
            start, end = note["span"]
            assert found["expression"][start:end] == "A.detach()"
    assert {note["code"] for note in found["notes"]} == {"G102", "G201", None}


def test_large_tensors_are_judged_where_they_are_furthest_apart() -> None:
    found: Any = gradcli.compare(SOFTPLUS, at="linspace(-1000, 1000, 2001)", dtype="float64")
    assert "log(1+exp(A)) overflows at exp(A) = inf; F.softplus(A) is right" in found.verdict
    assert [one.right for one in found.columns] == [False, True]


def test_the_tolerance_can_be_set() -> None:
    assert gradcli.compare(["A/3", "A*0.3333"], at=1.0, tolerance=1e-3).verdict.startswith("they agree")
    assert gradcli.compare(["A/3", "A*0.3333"], at=1.0).verdict.startswith("they are different functions")


def test_rounding_in_small_elements_beside_large_ones_is_no_disagreement() -> None:
    texts = ["A.std()", "((A-A.mean())**2).sum().div(4).sqrt()", "A.var().sqrt()"]
    assert gradcli.compare(texts, at="randn(5)").verdict.startswith("they agree")


def test_long_and_equal_texts_are_numbered() -> None:
    long = "A + " * 20 + "A"
    shown = ask("compare", long, "A*21", "A*21", "--at", "1", columns=200).out
    assert "formula 1  A + A" in shown
    assert "\u2502 formula 2 \u2502" in shown


def test_numbers_of_several_shapes_in_a_row_of_csv_are_whole() -> None:
    lines = ask("compare", "A*B", "B*A", "--at", "A=[1,2]", "--at", "B=3", "--format", "csv").out.splitlines()
    assert lines[-1].startswith('exactly,,"[3.0, 6.0]","[3.0, 3.0]",3.0')


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["A", "B^2"], "'^'"),
        (["A", "A", "--dtypes", "float32"], "--dtypes is for one expression"),
        (["A", "A", "--rounds", "3"], "--rounds is for one expression"),
        (["A", "A", "--tolerance", "-1"], "--tolerance is a number from 0 to 1, not -1.0"),
        (["A", ""], "the expression is empty"),
    ],
)
def test_what_does_not_fit_is_refused(words: list[str], message: str) -> None:
    said = ask("compare", *words, "--json")
    assert said.code == 2
    assert message in json.loads(said.out)["error"]["message"]


@pytest.mark.parametrize("wrong", [[], ["A", 5], 5, None])
def test_what_is_no_text_is_refused(wrong: Any) -> None:
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.compare(wrong)
    assert caught.value.kind == "usage"


def test_a_slope_at_a_huge_operand_is_not_lost() -> None:
    """1 + exp(1000) has 434 digits before its point: a step of a difference has to be told beside them."""
    exactly = gradcli.compare(["log(exp(A))", "A*1"], at=5000.0).to_dict()["reference"]
    assert exactly == {"by": "exact", "outputs": [5000.0], "grads": {"A": 1.0}}
