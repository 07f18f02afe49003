"""A question asked again is answered the plain way: `conftest` holds each such answer against the long way's."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import gradcli
from gradcli.commands import again, answering
from gradcli.commands.again import Form, form_of
from gradcli.language.parser import parse

VECTOR = [0.5, 1.0, 2.0]


def plain_after(expression: str, at: Any, count: int = 3) -> Any:
    """The plain way of a question, after it was asked so often; None where there is none yet."""
    forms: list[Form] = []

    def seen(*asked: Any, **options: Any) -> Any:
        found = form_of(*asked, **options)
        forms.extend([found[0]] if found else [])
        return found

    parse.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answering, "form_of", seen)
        for _ in range(count):
            gradcli.grad(expression, at=at)
    return forms[-1].plain


def test_a_question_asked_twice_has_a_plain_way_and_the_third_goes_it() -> None:
    assert plain_after("A*5 - 3", {"A": 5.0}, count=1) is None
    plain = plain_after("A*5 - 3", {"A": 5.0})
    assert plain.told == {1: ()}
    assert plain.answer("grad", [7.0]).inputs["A"].grad.item() == 5.0


def test_what_is_told_of_an_answer_is_told_by_how_many_numbers_it_has() -> None:
    plain = plain_after("A*5 - 4", {"A": VECTOR})
    ((three, (note,)),) = plain.told.items()
    assert (three, note.code) == (3, "G201")
    assert plain.answer("grad", [[1.0, 2.0]]) is None
    gradcli.grad("A*5 - 4", at={"A": [1.0, 2.0]})
    assert "2 elements" in plain.answer("grad", [[1.0, 2.0]]).notes[0].message


OFF: list[tuple[str, Any, Any]] = [
    ("sqrt(A)", 4.0, 0.0),
    ("log(A)", 4.0, -1.0),
    ("1/A", 4.0, float("inf")),
    ("A*B", 4.0, 0.0),
    ("exp(A)", 1.0, 1000.0),
    ("relu(A)", 1.0, 0.0),
    ("abs(A)*1e-12 + 7", 1e13, 1.0),
    ("A*5", 1.0, torch.tensor(1.0, dtype=torch.float16)),
    ("A*5", 1.0, torch.tensor(1 + 1j)),
    ("A*5", 1.0, torch.ones(20)),
    ("A*5", 1.0, torch.ones(0)),
    ("A*5", 1.0, [[]]),
    ("A+1e-9", 1e-9, 1.0),
]


@pytest.mark.parametrize(("expression", "sound", "off"), OFF, ids=str)
def test_what_may_not_be_plain_goes_the_long_way(expression: str, sound: Any, off: Any) -> None:
    plain = plain_after(expression, {"A": sound, "B": 2.0} if "B" in expression else {"A": sound})
    values = [off, 2.0] if "B" in expression else [off]
    assert plain.answer("grad", values) is None


@pytest.mark.parametrize("wrong", [[[1.0], [2.0, 3.0]], None, ["x"], object(), True, torch.ones(2, dtype=torch.int64)])
def test_wrong_values_are_refused_as_at_first(wrong: Any) -> None:
    gradcli.grad("A*6", at={"A": 1.0})
    with pytest.raises(gradcli.GradcliError) as first:
        gradcli.grad("A*6", at={"A": wrong})
    assert plain_after("A*6", {"A": 1.0}).told
    with pytest.raises(gradcli.GradcliError) as later:
        gradcli.grad("A*6", at={"A": wrong})
    assert later.value.to_dict() == first.value.to_dict()


def test_the_callers_own_modes_and_default_dtype_hold_for_each_question() -> None:
    assert plain_after("A**2*3", {"A": 2.0}).told
    with torch.no_grad():
        assert gradcli.grad("A**2*3", at={"A": 2.0}).inputs["A"].grad is not None
    with torch.inference_mode(), torch.enable_grad():
        assert gradcli.grad("A**2*3", at={"A": 2.0}).inputs["A"].grad is not None
    torch.set_default_dtype(torch.float64)
    try:
        assert gradcli.grad("A**2*3", at={"A": 2.0}).output.dtype == "float64"
    finally:
        torch.set_default_dtype(torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        assert gradcli.grad("A**2*3", at={"A": 2.0}).output.dtype == "float32"


def test_a_tensor_that_is_passed_again_is_not_touched() -> None:
    own = torch.tensor(VECTOR, requires_grad=True)
    for _ in range(4):
        gradcli.grad("A*A*2", at={"A": own})
    assert own.grad is None
    assert own._version == 0


@pytest.mark.parametrize("mode", ["grad", "no_grad", "inference"])
@pytest.mark.parametrize("notes", [True, "facts", False])
@pytest.mark.parametrize(
    ("expression", "at"), [("A*B+A", {"A": 2.0, "B": VECTOR}), ("sin(A)", 0.5), ("(A*2).sum()", [VECTOR])]
)
def test_every_way_to_ask(expression: str, at: Any, notes: Any, mode: str) -> None:
    for ask in (gradcli.grad, gradcli.evaluate):
        told = [ask(expression, at=at, mode=mode, notes=notes).to_dict() for _ in range(4)]
        assert told == [told[0]] * 4


SIZES = (9, 10, 500, 1024, 1025, 8_000, 70_000)


def _with(values: torch.Tensor, place: int, number: float) -> torch.Tensor:
    changed = values.clone()
    changed[place] = number
    return changed


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("expression", ["A*5 - 2", "relu(A).sum()", "A.abs()*2", "sum(sin(A)*exp(-A**2))", "A.tanh()"])
def test_what_is_off_in_many_numbers_goes_the_long_way(expression: str, count: int) -> None:
    sound = torch.linspace(0.5, 1.5, count)
    plain = plain_after(expression, {"A": sound})
    assert plain.answer("grad", [sound + 0.1]) is not None
    bounded = expression in ("relu(A).sum()", "A.tanh()")
    wrong = (float("nan"),) if bounded else (float("nan"), float("inf"), -float("inf"))
    offs = [_with(sound, count // 2, number) for number in wrong]
    offs += [_with(sound, count - 1, 0.0)] if expression in ("relu(A).sum()", "A.abs()*2") and count <= 8_192 else []
    offs += [torch.full((count,), 1e3)] if expression.startswith(("sum", "A.tanh")) else []
    offs += [-sound] if expression == "relu(A).sum()" else []
    for off in offs:
        assert plain.answer("grad", [off]) is None


@pytest.mark.parametrize("reduce", ["sum", "mean"])
def test_a_few_elements_speak_for_the_size_of_many_only_where_the_answer_stays_the_same(reduce: str) -> None:
    count = 70_000
    sound = torch.linspace(0.5, 1.5, count)
    odd = [_with(sound, 12_345, number) for number in (1e30, -1e30, 3e38, float("nan"), float("inf"))]
    odd += [torch.zeros(count), sound * 1e-30, sound * 1e30, -sound, torch.full((count,), 3e38)]
    for expression in ("A*5 + 3", "A*1e-9 + 7", "A**2*0.5 - A", "exp(A)"):
        for values in [sound] * 3 + odd:
            told = gradcli.grad(expression, at=values, reduce=reduce)
            parse.cache_clear()
            again._form.cache_clear()
            first = gradcli.grad(expression, at=values, reduce=reduce)
            assert told.notes == first.notes
            for _ in range(2):
                gradcli.grad(expression, at=sound, reduce=reduce)


@pytest.mark.parametrize(("count", "found"), [(9, True), (12, False), (1024, False), (1025, True)])
def test_gradients_that_are_mostly_zero_go_the_long_way_where_they_are_told(count: int, found: bool) -> None:
    sound = torch.linspace(0.5, 1.5, count)
    plain = plain_after("A.tanh().sum()", {"A": sound})
    saturated = torch.full((count,), 30.0)
    saturated[0] = 0.5
    assert (plain.answer("grad", [saturated]) is not None) == found


def test_what_is_told_is_kept_for_a_few_counts_of_numbers() -> None:
    from gradcli.diagnosis import plain as module

    plain = plain_after("A*5 - 7", {"A": [1.0]})
    for count in range(2, module.COUNTS + 20):
        gradcli.grad("A*5 - 7", at={"A": torch.ones(count)})
    assert len(plain.told) == module.COUNTS
