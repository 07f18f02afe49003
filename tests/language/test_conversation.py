"""What a conversation keeps: values, definitions, and the text that a later line means together with them."""

from __future__ import annotations

import pytest
from hypothesis import given

from gradcli.errors import GradcliError
from gradcli.language.conversation import Names, forgotten, with_value
from gradcli.language.defining import defined
from gradcli.language.typed import ends_in_question, only_imports, only_reads_grad, value_in
from gradcli.language.whole import moved, whole
from tests.strategies import expressions


def after(*lines: str) -> Names:
    """The names after these lines."""
    names = Names()
    for line in lines:
        value = value_in(line, names)
        names = with_value(names, *value) if value else defined(names, line, whole(line, names))
    return names


VALUES = ["A = 5.0", "A=[1, 2]", "W = randn(3, 3)", "A = @w.npy", "k = 2*pi", "A = torch.tensor([5.0])", "A = inf"]
OTHERS = ["B = A**2", "A == 5", "A", "Q, R = linalg.qr(A)", "A = 1; B = 2", "A = B = 3.0", "A += 1", "A[0] = 1", "A = "]


@pytest.mark.parametrize("line", VALUES)
def test_a_name_and_what_needs_no_name_is_a_value(line: str) -> None:
    assert value_in(line, Names()) == tuple(part.strip() for part in line.split("=", 1))


@pytest.mark.parametrize("line", OTHERS)
def test_everything_else_is_none(line: str) -> None:
    assert value_in(line, Names()) is None


def test_a_constant_that_was_given_a_value_is_an_input() -> None:
    assert value_in("B = e", Names()) == ("B", "e")
    assert value_in("B = e", after("e = 3.0")) is None


WHOLE = [
    (["A = 5.0", "B = A**2"], "3*B", "B = A**2\n3*B", ("A",)),
    (["A = 5.0", "B = A**2"], "3*A", "3*A", ("A",)),
    (["B = A**2", "C = sin(B)"], "C*A", "B = A**2\nC = sin(B)\nC*A", ("A",)),
    (["B = A**2", "C = sin(B)", "B = 5*A"], "B + C", "B = A**2\nC = sin(B)\nB = 5*A\nB + C", ("A",)),
    (["B = A**2", "B = B + 1"], "B", "B = A**2\nB = B + 1\nB", ("A",)),
    (["B = A**2", "B += 1"], "B", "B = A**2\nB += 1\nB", ("A",)),
    (["B = A**2", "B[0] = 3"], "B", "B = A**2\nB[0] = 3\nB", ("A",)),
    (["B = A**2", "C = B", "B.mul_(2)"], "C", "B = A**2\nC = B\nB.mul_(2)\nC", ("A",)),
    (["Q, R = linalg.qr(W)"], "Q @ R", "Q, R = linalg.qr(W)\nQ @ R", ("W",)),
    (["with no_grad():\n    D = A*2"], "D + A", "with no_grad():\n    D = A*2\nD + A", ("A",)),
    (["loss = A*5"], "loss.backward()", "loss = A*5\nloss.backward()", ("A",)),
    (["loss = A*5\nloss.backward()\nprint(A.grad)"], "loss", "loss = A*5\nloss", ("A",)),
    (["B = A**2; B.sum()"], "B", "B = A**2\nB", ("A",)),
    (["B = A**2", "B = 2.0"], "B", "B", ("B",)),
    (["A = 5.0", "A = A + 1"], "A", "A = A + 1\nA", ("A",)),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "text", "expected", "inputs"), WHOLE)
def test_a_text_comes_with_the_definitions_that_it_needs(
    lines: list[str], text: str, expected: str, inputs: tuple[str, ...]
) -> None:
    found = whole(text, after(*lines))
    assert (found.text, found.inputs) == (expected, inputs)
    assert found.text[found.start :] == text


def test_a_definition_keeps_what_it_was_made_from_and_takes_values_anew() -> None:
    names = after("A = 5.0", "B = A**2", "A = 7.0")
    assert whole("B", names).text == "B = A**2\nB"
    assert names.values["A"].text == "7.0"


def test_a_name_with_two_meanings_at_once_is_refused() -> None:
    names = after("A = 5.0", "A = A*2", "C = A + 1", "A = 3.0")
    assert whole("C", names).text == "A = A*2\nC = A + 1\nC"
    with pytest.raises(GradcliError, match="'A' is an input here, and a definition that was given this name"):
        whole("C + A", names)
    with pytest.raises(GradcliError, match="'A' is an input here"):
        whole("C + D", defined(names, "D = A*5", whole("D = A*5", names)))


def test_an_error_is_told_in_what_was_typed() -> None:
    names = after("B = A**2")
    with pytest.raises(GradcliError) as caught:
        whole("B*sine(B)", names)
    assert (caught.value.source, caught.value.span) == ("B*sine(B)", (2, 6))


def test_an_error_in_a_definition_stays_there() -> None:
    found = whole("B*2", after("B = A @ A"))
    error = GradcliError("torch", "shapes", source=found.text)
    assert moved(error, found.text, found.start, "B*2").source == "B*2"  # without a place, it is about the line
    from gradcli.errors import Span

    error = GradcliError("torch", "shapes", source=found.text, span=Span(4, 9))
    assert moved(error, found.text, found.start, "B*2").source == found.text


def test_random_values_are_counted() -> None:
    names = after("W = randn(2)", "A = 5.0", "V = rand(2)", "I = ones(2)")
    assert [names.values[name].drawn for name in "WAVI"] == [0, None, 1, None]


def test_standard_input_is_not_a_value() -> None:
    with pytest.raises(GradcliError, match="standard input is where you type"):
        with_value(Names(), "A", "@-")


def test_forgetting() -> None:
    names = after("A = 5.0", "B = A**2", "C = B*3")
    left = forgotten(names, "B")
    assert left.known == {"A", "C"}
    assert whole("C", left).text == "B = A**2\nC = B*3\nC"
    assert whole("B", left).inputs == ("B",)
    with pytest.raises(GradcliError, match="nothing is called 'B'"):
        forgotten(left, "B")


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("A", True),
        ("B = A", False),
        ("B = A; B", True),
        ("with no_grad():\n  A", True),
        ("with no_grad():\n  B = A", False),
    ],
)
def test_what_asks_for_an_answer(text: str, asks: bool) -> None:
    assert ends_in_question(text) is asks


def test_imports_need_nothing() -> None:
    assert only_imports("import torch\nfrom torch import nn")
    assert not only_imports("import torch\nA*5")


LOOKS = ["A.grad", "print(A.grad)", "g = A.grad.clone()", "print(A.grad, A)", "import torch\nA.grad"]
NO_LOOKS = ['print("the .grad is", A)', "torch.manual_seed(0)  # before A.grad", "A*2  # not A.grad", "A.grad = None"]


@pytest.mark.parametrize("text", LOOKS)
def test_a_look_at_gradients_computes_nothing(text: str) -> None:
    assert only_reads_grad(text)


@pytest.mark.parametrize("text", NO_LOOKS)
def test_a_text_that_only_mentions_grad_is_no_look_at_it(text: str) -> None:
    assert not only_reads_grad(text)


@given(expressions)
def test_a_definition_means_what_its_text_means(text: str) -> None:
    """A definition and its name are read as the same steps as the text itself, with a name for it."""
    from gradcli.language.parser import parse

    try:
        parse(text)
        names = defined(Names(), f"value_ = {text}", whole(f"value_ = {text}", Names()))
    except GradcliError:
        return
    if names.current:
        found = whole("value_", names)
        assert parse(found.text) == parse(f"value_ = {text}\nvalue_")
