"""A program that is run again goes the plain way: what it tells is what the steps one by one tell."""

from __future__ import annotations

import contextlib
import math
import warnings
from itertools import product
from typing import Any

import pytest
import torch

import gradcli
from gradcli.commands.asking import request_of
from gradcli.engine import plan
from gradcli.engine.recording import quiet
from gradcli.errors import GradcliError
from gradcli.language.parser import parse
from gradcli.language.vocabulary import functions

VECTOR = [0.5, 1.0, 2.0]
QUESTIONS: list[tuple[str, Any]] = [
    ("A", {"A": 5.0}),
    ("A*5", {"A": 5.0}),
    ("A**2+16", {"A": 5.0}),
    ("A*B+A", {"A": 2.0, "B": VECTOR}),
    ("A*B", {"A": VECTOR, "B": [[1.0], [2.0]]}),
    ("A+1e10", {"A": 5.0}),
    ("A-A", {"A": VECTOR}),
    ("relu(A)", {"A": [0.0, 1.0]}),
    ("sqrt(A)", {"A": 0.0}),
    ("log(A).sum()", {"A": [-1.0, 0.0]}),
    ("A.softmax(0).log()", {"A": VECTOR}),
    ("sum(A, dim=0)", {"A": [VECTOR]}),
    ("A.max(0).values", {"A": VECTOR}),
    ("A.max()", {"A": [1.0, 1.0]}),
    ("A[0]*A.detach()", {"A": VECTOR}),
    ("A.shape[0]*A", {"A": VECTOR}),
    ("A.floor()", {"A": 1.5}),
    ("A>1", {"A": 1.5}),
    ("W@x", {"W": VECTOR, "x": VECTOR}),
    ("W@x", {"W": VECTOR, "x": 5.0}),
    ("B = A*2; B**2", {"A": 5.0}),
    ("A*Z", {"A": 5.0, "Z": 1 + 2j}),
    ("torch.add(A, 1, B)", {"A": 5.0, "B": 2.0}),
    ("ldexp(A, B)", {"A": torch.ones(1), "B": torch.ones(2, 2)}),
]
ALONE = sorted({f"{one.paths[0]}(A)" for one in functions() if "." in one.paths[0] and not one.makes})


def told(function: Any, expression: str, at: Any, **options: Any) -> Any:
    """The answer as plain data, or the error."""
    try:
        return function(expression, at=at, **options).to_dict()
    except GradcliError as error:
        return error.to_dict()


@pytest.mark.parametrize("mode", ["grad", "no_grad", "inference"])
@pytest.mark.parametrize(("expression", "at"), QUESTIONS)
def test_asked_again_the_answer_is_the_same(expression: str, at: Any, mode: str) -> None:
    for function in (gradcli.grad, gradcli.evaluate):
        parse.cache_clear()
        answers = [told(function, expression, at, mode=mode) for _ in range(4)]
        assert answers == [answers[0]] * 4


@pytest.mark.parametrize("expression", ALONE)
def test_every_function_answers_the_same_again_and_warns_of_nothing_beside(expression: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, *others = [told(gradcli.grad, expression, {"A": VECTOR}) for _ in range(3)]
    assert others == [first] * 2


NUMBERS: dict[str, torch.Tensor] = {
    "float32": torch.full((2, 2), 0.5), "float64": torch.full((2,), 0.5, dtype=torch.float64),
    "complex64": torch.full((2, 2), 0.5 + 1j), "int64": torch.ones(3, 2, 2, dtype=torch.int64),
}  # fmt: skip


@pytest.mark.parametrize("family", sorted({one.family for one in functions()}))
def test_what_is_planned_as_silent_is_silent(family: str) -> None:
    found = []
    for function in functions():
        if function.family == family and not function.makes:
            name = function.paths[0]
            for operands in ("A", "A, B", "A, 0", "A, 2", "A, B, B", "A, 1, 2"):
                found += _loud(f"{name}({operands})")
    assert found == []


def _loud(text: str) -> list[str]:
    """What torch warns of while a text that is planned as silent is run, or is gone back from."""
    try:
        found = plan._planned(parse(text))
    except GradcliError:
        return []
    if found is None or not found.silent:
        return []
    with quiet() as seen:
        for numbers in product(NUMBERS.values(), repeat=2):
            pairs = zip(("A", "B"), numbers, strict=True)
            leaves = {name: one.clone().requires_grad_(one.dtype != torch.int64) for name, one in pairs}
            values = found.values(leaves)
            with contextlib.suppress(RuntimeError):
                if values is not None and values[found.output].requires_grad:
                    values[found.output].backward(torch.ones_like(values[found.output]))
    return [f"{text}: {one.message}" for one in seen]


def test_what_torch_says_once_in_a_process_is_told_each_time() -> None:
    before = torch.is_warn_always_enabled()
    for _ in range(3):
        (note,) = gradcli.grad("torch.add(A, 1, 2)", at=1.0).notes
        assert "deprecated" in note.message
    assert torch.is_warn_always_enabled() == before


@pytest.mark.filterwarnings("error:Error detected")
@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_anomalies_are_not_told_beside_the_answer() -> None:
    with torch.autograd.detect_anomaly():
        answers = [told(gradcli.grad, "A/B", {"A": math.nan, "B": [0.0, 1.0]}) for _ in range(3)]
    assert answers == [answers[0]] * 3


def test_other_values_of_the_same_question() -> None:
    plans = [gradcli.grad("A*B", at={"A": a, "B": 3.0}).inputs["B"].grad for a in (1.0, 2.0, [1.0, 2.0], torch.ones(3))]
    assert [one.item() for one in plans if one is not None] == [1.0, 2.0, 3.0, 3.0]


def test_options_that_look_alike_are_told_apart() -> None:
    gradcli.grad("A*5", at=5.0, seed=1)
    with pytest.raises(GradcliError, match="a seed is a whole number"):
        gradcli.grad("A*5", at=5.0, seed=1.0)  # type: ignore[arg-type]
    assert gradcli.grad("A*5", at=5.0, wrt=["A"]).inputs["A"].grad == 5


def test_only_programs_that_are_run_again_are_planned() -> None:
    options: dict[str, Any] = {"mode": "grad", "dtype": None, "device": None, "seed": 0, "backward": True}
    parse.cache_clear()
    request = request_of("A*7", 5.0, None, **options)
    assert plan.plan_of(request.program) is None
    found = plan.plan_of(request.program)
    assert found is not None
    assert found.silent
    for text in ("A.add_(1)", "cat([A, A])", "A.expand(10**9)", "rand(3)*A", "with torch.no_grad(): A*2"):
        program = parse(text)
        assert [plan.plan_of(program), plan.plan_of(program)] == [None, None]


def planned(text: str) -> plan.Plan:
    found = plan._planned(parse(text))
    assert found is not None
    return found


@pytest.mark.parametrize(
    "text", ["A*A.sum()", "relu(A).mean()", "B = A.softmax(0); B*A", "where(A > 0, A, -A).cumsum(0)"]
)
def test_values_that_grow_by_no_step_are_planned_while_they_are_weighed_by_none(text: str) -> None:
    found = planned(text)
    assert found.most == plan.MANY
    values = found.values({"A": torch.ones(plan.MANY)})
    assert values is not None
    assert len(values[found.output].reshape(-1)) in (1, plan.MANY)
    assert found.values({"A": torch.ones(plan.MANY + 1)}) is None
    assert found.values({"A": torch.ones(0)}) is None


@pytest.mark.parametrize("text", ["A@A", "A.reshape(-1, 1)*A", "A.unsqueeze(0)*A", "sum(A, dim=0)*A.t()"])
def test_others_only_while_all_they_can_make_is_small(text: str) -> None:
    found = planned(text)
    assert found.most == plan.FEW
    assert found.values({"A": torch.ones(plan.FEW + 1)}) is None


def test_inputs_count_by_what_they_are_broadcast_to() -> None:
    found = planned("A*B+C")
    many = torch.ones(plan.MANY)
    assert found.values({"A": many, "B": many, "C": torch.ones(())}) is not None
    assert found.values({"A": many, "B": torch.ones(2, 1), "C": many}) is None
    assert found.values({"A": many, "B": torch.ones(0), "C": many}) is None


def test_what_many_steps_keep_is_bounded() -> None:
    steps = 500
    found = planned("+".join(["A"] * (steps + 1)))
    assert found.most * steps <= plan.MUCH
    assert found.values({"A": torch.ones(found.most + 1)}) is None


def test_what_is_remembered_is_bounded() -> None:
    memory: dict[int, Any] = {}
    programs = [parse(f"A*{number}") for number in range(plan.MOST + 10)]
    for one in programs:
        plan._remember(memory, one, one)
    assert len(memory) == plan.MOST
