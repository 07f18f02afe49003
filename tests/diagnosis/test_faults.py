"""What is at fault is proved: each text of the table gets its codes and no other, and repairs hold."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import pytest
import torch

import gradcli
from gradcli.diagnosis.catalogue import CATALOGUE
from tests.diagnosis.faults import ROWS, inf

IDS = [f"{text} {at} {const}"[:70] for text, at, const, _ in ROWS]


@pytest.mark.parametrize(("text", "at", "const", "codes"), ROWS, ids=IDS)
def test_the_fault_is_named_and_nothing_else(text: str, at: dict[str, Any], const: dict[str, Any], codes: str) -> None:
    notes = gradcli.grad(text, at=at, const=const).notes
    assert sorted(one.code for one in notes if one.code and one.code != "G201") == sorted(codes.split())
    for note in notes:
        if note.code:
            assert note.level == CATALOGUE[note.code].level
            assert "{" not in note.message
            assert note.span is None or 0 <= note.span.start < note.span.end <= len(text)


@pytest.mark.parametrize(("text", "at", "const", "codes"), ROWS[::7], ids=IDS[::7])
def test_no_notes_are_looked_for_where_none_are_wanted(
    text: str, at: dict[str, Any], const: dict[str, Any], codes: str
) -> None:
    assert codes is not None
    assert gradcli.grad(text, at=at, const=const, notes=False).notes == ()


# A text, its values, constants, and what to write instead; None where no honest repair exists.
REPAIRS: tuple[tuple[str, Any, dict[str, Any], str | None], ...] = (
    ("where(A > 0, sqrt(A), 0)", [0, 4], {}, "where(A > 0, sqrt(where(A > 0, A, 1)), 0)"),
    ("where(A <= 0, 0, log(A))", [0, 4], {}, "where(A <= 0, 0, log(where(A <= 0, 1, A)))"),
    ("where(A <= 0, exp(A), 1 + A)", 100, {}, "where(A <= 0, exp(where(A <= 0, A, 1)), 1 + A)"),
    ("where(A != 0, sin(A)/A, 1)", [0, 1], {}, "where(A != 0, sin(A)/where(A != 0, A, 1), 1)"),
    ("where(N > 0, A/N, 0)", {"A": [0.0, 1.0]}, {"N": [0.0, 2.0]}, "where(N > 0, A/where(N > 0, N, 1), 0)"),
    ("B = sqrt(A)\nwhere(A > 0, B, 0)", [0, 1], {}, "B = sqrt(where(A > 0, A, 1))\nwhere(A > 0, B, 0)"),
    ("sqrt(A)*(A > 0)", [0, 4], {}, "sqrt(where(A > 0, A, 1))*(A > 0)"),
    ("sqrt(A)*M", {"A": [0.0, 4.0]}, {"M": [0.0, 1.0]}, "sqrt(where(M != 0, A, 1))*M"),
    ("sqrt(A)[1:]", [0, 4], {}, "sqrt(A[1:])"),
    ("(A/N)[1:]", {"A": [1.0, 2.0, 3.0]}, {"N": [0.0, 1.0, 2.0]}, "A[1:]/N[1:]"),
    ("2*(A/N)[1:]", {"A": [1.0, 2.0, 3.0]}, {"N": [0.0, 1.0, 2.0]}, "2*(A[1:]/N[1:])"),
    ("log(A).index_select(0, I)", {"A": [0.0, 2.0]}, {"I": [1]}, "log(A.index_select(0, I))"),
    ("torch.take(sqrt(A + 1), I)", {"A": [-1.0, 2.0]}, {"I": [1]}, "sqrt(torch.take(A + 1, I))"),
    ("B = A.sqrt()\nB.narrow(0, 1, 1)*2", {"A": [0.0, 4.0]}, {}, "B = A.narrow(0, 1, 1).sqrt()\nB*2"),
    ("log(A).masked_fill(A == 0, 0.)", [0, 4], {}, "log(where(A == 0, 1, A)).masked_fill(A == 0, 0.)"),
    ("sqrt(A**2)", [0, 4], {}, "abs(A)"),
    ("(A**2).sum().sqrt()", [0, 0], {}, "torch.linalg.vector_norm(A, 2)"),
    ("((A - 1)**2).sum(1).sqrt()", [[1, 1], [2, 3]], {}, "torch.linalg.vector_norm(A - 1, 2, 1)"),
    ("sqrt(A)**2", 0, {}, None),
    ("acos(A)", 1, {}, None),
    ("acos(cos(A))", 0, {}, None),
    ("sqrt(A)*A", [0, 4], {}, None),
)  # fmt: skip


@pytest.mark.parametrize(("text", "at", "const", "instead"), REPAIRS)
def test_a_repair_is_offered_where_it_holds(text: str, at: Any, const: dict[str, Any], instead: str | None) -> None:
    (note,) = (one for one in gradcli.grad(text, at=at, const=const).notes if one.code in {"G302", "G303", "G304"})
    if instead is None:
        assert "Write " not in note.message
        return
    assert f" Write {instead}: " in note.message
    repaired = gradcli.grad(instead, at=at, const=const)
    assert not [one for one in repaired.notes if one.level == "warning"]
    before = gradcli.grad(text, at=at, const=const, notes=False)
    old, new = before.inputs["A"].grad, repaired.inputs["A"].grad
    assert old is not None
    assert new is not None
    assert not old.isfinite().all()
    assert new.isfinite().all()
    assert torch.equal(old[old.isfinite()], new[old.isfinite()])
    assert torch.equal(before.output.value, repaired.output.value)


MESSAGES = (
    (
        "where(A > 0, sqrt(A), 0)",
        [0, 4],
        "G302",
        "sqrt(A)",
        "sqrt(A) has an infinite slope at A[0] = 0. where() does",
    ),
    ("(A**2).sum().sqrt()", [0, 0], "G304", "(A**2).sum().sqrt()", "-1 on the left and 1 on the right"),
    ("F.relu(A)", 0, "G501", "F.relu(A)", "the slope is 0 on the left and 1 on the right; torch takes 0."),
    ("sin(A)/A", 0, "G301", "sin(A)/A", "sin(A)/A is nan, though its operands are finite: A = 0 and sin(A) = 0."),
    ("round(A)*2", 0.7, "G401", "round(A)", "round(A) moves in steps"),
    ("sigmoid(A)*2", 200, "G402", "sigmoid(A)", "sigmoid(A) is saturated at A = 200"),
    ("3*exp(A)", 100, "G602", "exp(A)", "exp(A) is inf in float32 and 2.688e+43 in float64"),
)


@pytest.mark.parametrize(("text", "at", "code", "part", "words"), MESSAGES)
def test_a_note_names_the_part_and_its_numbers(text: str, at: Any, code: str, part: str, words: str) -> None:
    (note,) = (one for one in gradcli.grad(text, at=at).notes if one.code == code)
    assert note.span is not None
    assert text[slice(*note.span)] == part
    assert words in note.message


def test_the_loss_scale_that_is_named_keeps_the_gradient() -> None:
    (note,) = (one for one in gradcli.grad("(A*1e-8).sum()", at=[1, 2], dtype="float16").notes if one.code == "G601")
    scale = 2.0 ** int(note.message.partition("2^")[2].split()[0])
    found = gradcli.grad("(A*1e-8).sum()", at=[1, 2], dtype="float16", loss_scale=scale).inputs["A"].grad
    assert found is not None
    assert bool((found != 0).all())


@pytest.mark.parametrize("ask", [gradcli.grad, gradcli.evaluate, gradcli.trace, gradcli.jacobian])
def test_a_kink_is_told_by_every_command(ask: Any) -> None:
    assert "G501" in {one.code for one in ask("relu(A)", at=0.0).notes}


def test_a_derivative_that_is_not_finite_is_told_where_there_is_no_grad() -> None:
    assert "G303" in {one.code for one in gradcli.jacobian("sqrt(A)", at=0.0).notes}


def test_more_is_proved_where_that_is_asked_for() -> None:
    large = torch.full((3000,), 1e-4)
    assert "G603" not in {one.code for one in gradcli.grad("1 - cos(A)", at=large).notes}
    assert "G603" in {one.code for one in gradcli.grad("1 - cos(A)", at=large, verify=True).notes}
    assert any("--verify" in one.message for one in gradcli.grad("1 - cos(A)", at=large, verify=None).notes)


def test_a_fault_in_one_of_many_elements_is_found() -> None:
    values = torch.rand(100_000) + 0.5
    values[70_000] = 0.0
    (note,) = (one for one in gradcli.grad("where(A > 0, sqrt(A), 0).sum()", at=values).notes if one.code)
    assert note.code == "G302"
    assert "A[70000]" in note.message


def test_a_long_program_is_proved_too() -> None:
    text = "B = sqrt(A)\n" + "B = B + 1\n" * 500 + "where(A > 0, B, 0)"
    assert "G302" in {one.code for one in gradcli.grad(text, at=[0.0, 4.0]).notes}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("text", ["A*2", "A**2 + A", "(A*A).sum().real", "A.abs()", "A*0", "exp(A)"])
def test_notes_come_in_every_dtype(dtype: str, text: str) -> None:
    for at in (0.0, 1.5, [], [0.0, 1.0], inf, math.nan):
        with contextlib.suppress(gradcli.GradcliError):  # a complex output has no gradient
            gradcli.grad(text, at=at, dtype=dtype, verify=True)


# Derivatives that are not finite though the gradient is: a command, a text, its values, the code, words of its note.
BENT: tuple[tuple[Any, str, Any, dict[str, Any], str, str], ...] = (
    (gradcli.grad, "A**1.5", 0.0, {"order": 2}, "G303", "second derivative of A**1.5 is inf at A = 0"),
    (gradcli.grad, "A**2.5", 0.0, {"order": 3}, "G303", "third derivative"),
    (gradcli.grad, "where(A > 0, A**1.5, 0)", [0.0, 4.0], {"order": 2}, "G302", "where() does not use it there"),
    (gradcli.hessian, "where(A > 0, A**1.5, 0)", [0.0, 4.0], {}, "G302", "where() does not use it there"),
    (gradcli.hessian, "abs(A)**1.5", [0.0, 4.0], {}, "G304", "it meets a 0"),
    (gradcli.hessian, "A.norm()", [0.0, 0.0], {}, "G304", "second derivative of A.norm() is nan"),
    (gradcli.hessian, "A**1.5*B", {"A": 0.0, "B": 1.0}, {}, "G303", "A**1.5"),
)


@pytest.mark.parametrize(("ask", "text", "at", "options", "code", "words"), BENT)
def test_a_derivative_of_higher_order_that_is_not_finite_has_its_origin(
    ask: Any, text: str, at: Any, options: dict[str, Any], code: str, words: str
) -> None:
    (note,) = (one for one in ask(text, at=at, **options).notes if one.code in {"G302", "G303", "G304"})
    assert note.code == code
    assert words in note.message


@pytest.mark.parametrize("text", ["A**3", "sin(A)", "A*5", "exp(-A**2)", "where(A > 0, A**2.5, 0)", "relu(A)**3"])
def test_a_second_derivative_of_zero_or_more_is_no_fault(text: str) -> None:
    for at in (0.0, 2.0, [0.0, 1.0]):
        assert not [one for one in gradcli.hessian(text, at=at).notes if one.level == "warning"]


def test_most_elements_saturated_are_told_without_being_asked_for() -> None:
    dead = torch.linspace(-3.0, 0.1, 60)
    (note,) = (one for one in gradcli.grad("relu(A).sum()", at=dead).notes if one.code)
    assert note.code == "G404"
    assert "58 of 60" in note.message
    large = torch.randn(5000, generator=torch.Generator().manual_seed(0))
    assert "G404" in {one.code for one in gradcli.grad("relu(A - 3).sum()", at=large, verify=None).notes}
    assert not [one for one in gradcli.grad("relu(A).sum()", at=large, verify=None).notes if one.code]
    assert not [one for one in gradcli.grad("A[:20].sum()", at=large, verify=None).notes if one.code]


TWICE = (
    ("F.embedding_bag(i, W, o).sum()", {"i": [0, 1, 0], "o": [0, 2]}),
    ("F.embedding_bag(i, W).sum()", {"i": [[0, 1, 1]]}),
    ("F.embedding_bag(i, W, o, mode='sum').sum()", {"i": [0, 1, 0], "o": [0, 2]}),
)


@pytest.mark.parametrize(("text", "const"), TWICE)
def test_rows_of_a_bag_that_are_read_twice_are_told(text: str, const: dict[str, Any]) -> None:
    at = {"W": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]}
    assert "G606" in {one.code for one in gradcli.grad(text, at=at, const=const).notes}
    apart = {**const, "i": [[0, 1, 2]] if isinstance(const["i"][0], list) else [0, 1, 2]}
    assert "G606" not in {one.code for one in gradcli.grad(text, at=at, const=apart).notes}
