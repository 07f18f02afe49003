"""Traces: every step with the gradient that `retain_grad` would have kept, and the chain rule as arithmetic."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
import torch

import gradcli
from gradcli import GradcliError
from tests.render.running import run, script_of

CHAINS = [
    ("sin(A)*A", 2.0, [("A", "A", 2.0), ("sin(A)", "sin", math.sin(2.0)), ("sin(A)*A", "*", math.sin(2.0) * 2.0)]),
    ("B = A**2; B + 1", 3.0, [("A", "A", 3.0), ("A**2", "**", 9.0), ("B + 1", "+", 10.0)]),
]


@pytest.mark.parametrize(("expression", "at", "wanted"), CHAINS)
def test_steps_stand_in_the_order_of_evaluation(
    expression: str, at: float, wanted: list[tuple[str, str, float]]
) -> None:
    steps = gradcli.trace(expression, at=at, dtype="float64").steps
    assert [step.source for step in steps] == [source for source, _, _ in wanted]
    assert [float(step.value) for step in steps] == pytest.approx([value for _, _, value in wanted], rel=1e-15)


def test_gradients_are_those_that_retain_grad_keeps() -> None:
    found = gradcli.trace("((sin(A)*A + exp(-A))**2).sum()", at=[0.5, -1.0, 2.0], dtype="float64")
    a = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    made = [sine := torch.sin(a), product := sine * a, minus := -a, power := torch.exp(minus), total := product + power]
    made += [square := total**2, square.sum()]
    for one in made:
        one.retain_grad()
    made[-1].backward()
    kept = {step.source: step.grad for step in found.steps}
    sources = [
        "sin(A)",
        "sin(A)*A",
        "-A",
        "exp(-A)",
        "sin(A)*A + exp(-A)",
        "(sin(A)*A + exp(-A))**2",
        "((sin(A)*A + exp(-A))**2).sum()",
    ]
    for source, one in zip(sources, made, strict=True):
        torch.testing.assert_close(kept[source], one.grad, rtol=0, atol=0)
    torch.testing.assert_close(kept["A"], a.grad, rtol=0, atol=0)


def test_upstream_times_local_adds_up_to_downstream() -> None:
    found = gradcli.trace("A*A*B + sin(A)", at={"A": 1.5, "B": -2.0}, dtype="float64")
    for leaf in (step for step in found.steps if step.op == "input"):
        total = sum(
            float(step.grad) * part.value for step in found.steps if step.grad is not None
            for part in step.local if part.step == leaf.index
        )  # fmt: skip
        assert leaf.grad is not None
        assert total == pytest.approx(float(leaf.grad), rel=1e-14)


def test_chain_is_a_line_of_arithmetic() -> None:
    assert gradcli.trace("A**2", at=5.0, chain=True).chain == (("A.grad", "1.0 · 10.0 = 10.0"),)


def test_items_of_a_tuple_are_rows_of_one_step() -> None:
    steps = gradcli.trace("(sort(A).values*A).sum()", at=[3.0, 1.0]).steps
    assert [(step.label, step.source) for step in steps][1:3] == [("1", "sort(A)[0]"), ("1", "sort(A)[1]")]


def test_what_is_not_recorded_is_visible() -> None:
    steps = gradcli.trace("with torch.no_grad(): B = A*2\nC = A*B", at=3.0).steps
    assert [(step.source, step.requires_grad, step.grad_fn) for step in steps] == [
        ("A", True, None), ("A*2", False, None), ("A*B", True, "MulBackward0"),
    ]  # fmt: skip


def test_the_first_gradient_that_is_not_finite_is_named() -> None:
    notes = gradcli.trace("where(A > 0, sqrt(A), 0)", at=[0.0, 4.0]).notes
    assert "the first gradient that is not finite: A." in [note.message for note in notes]


def test_a_thousand_steps_are_traced_in_one_pass() -> None:
    steps = gradcli.trace("+".join(["A"] * 1000), at=1.0).steps
    assert len(steps) == 1000
    assert float(steps[0].grad) == 1000.0  # type: ignore[arg-type]


def test_json_holds_every_step() -> None:
    answer = json.loads(json.dumps(gradcli.trace("sin(A)*A", at=2.0).to_dict()))
    assert answer["steps"][1] == {
        "source": "sin(A)", "span": [0, 6], "op": "sin", "value": pytest.approx(0.9092974), "shape": [],
        "requires_grad": True, "grad_fn": "SinBackward0", "grad": 2.0,
        "local": [{"operand": "A", "value": pytest.approx(-0.4161468)}],
    }  # fmt: skip


SCRIPTED = [
    ("sin(A)*A", {"at": 2.0}),
    ("B = A**2\nC = B*A\n(C + B).sum()", {"at": [1.0, 2.0]}),
    ("A = A*2\nA = A*3\nA", {"at": [1.0, 2.0]}),
    ("values, i = topk(A, 1)\nvalues*2", {"at": [1.0, 3.0]}),
    ("A*2, A*3", {"at": [1.0, 2.0]}),
    ("step_1*A", {"at": {"step_1": 2.0, "A": 3.0}}),
    ("A * (A**2).detach()", {"at": 3.0}),
    ("with torch.no_grad(): B = A**2 + 16", {"at": 5.0}),
    ("A*A", {"at": 5.0, "mode": "no_grad"}),
    ("(A*B).exp()", {"at": {"A": [1.0, 2.0], "B": "randn(2)"}, "seed": 3, "upstream": [1.0, 0.5]}),
    ("A", {"at": 2.0}),
]


@pytest.mark.parametrize(("text", "options"), SCRIPTED)
def test_the_script_prints_what_the_trace_shows(text: str, options: dict[str, Any]) -> None:
    found = gradcli.trace(text, **options)
    _, printed = run(script_of(found))
    assert printed == "".join(f"{one.source} {one.value!r} {one.grad!r}\n" for one in found.steps)


def test_a_text_that_writes_has_no_script_of_its_steps() -> None:
    with pytest.raises(GradcliError, match="writes into no tensor"):
        script_of(gradcli.trace("B = A*1\nB.mul_(2)", at=2.0))


def test_a_view_written_to_where_gradients_are_off_is_traced() -> None:
    text = "loss, k = torch.atan_(A)\nloss[[0, 1]] *= 2\nloss.sum()"
    steps = gradcli.trace(text, at=[[1.0, 2.0], [3.0, 4.0]], mode="no_grad").steps
    assert all(step.grad is None and step.grad_fn is None for step in steps)
