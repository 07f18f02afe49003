"""A sweep has the numbers of `grad` at each point, whichever way it goes; what cannot be swept is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

import gradcli
from gradcli.commands.asking import sweep_request
from gradcli.engine.sweeping.points import axes_of
from gradcli.engine.sweeping.ways import alone, broadcast, mapped
from gradcli.errors import GradcliError
from gradcli.progress import heard_by
from tests.command_line import ask

ELEMENTWISE = (
    "A**2",
    "sin(A)*B",
    "where(A > 0, A, exp(A))",
    "A*2, A.detach()",
    "with torch.no_grad():\n  C = A*2\nA*C",
    "A*W",
    "softmax(stack([A, 2*A]), 0)[0]",
    "logsumexp(stack([A, A*A, 0*A]), 0)",
    "cat([A*W, A+W], dim=0).cumsum(0).prod(dim=0)",
    "stack([A*W, A+W], 0).mean(0, keepdim=True)",
)
VECTORS = (
    "(W*A).sum()", "randn(3).sum()*A", "F.huber_loss(A, W[0])", "A.sum(0)", "sort(A*W, 0).values", "(A*W).cumsum(-1)",
    "stack([A, 2*A], -1)",
)  # fmt: skip


def values(expression: str) -> dict[str, Any]:
    return {name: one for name, one in (("B", 3.0), ("W", [1.0, 2.0])) if name in expression}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("expression", [*ELEMENTWISE, *VECTORS])
def test_every_point_has_the_numbers_of_grad(expression: str, dtype: str) -> None:
    fixed = values(expression)
    swept = gradcli.sweep(expression, at={"A": "-2:2:9", **fixed}, dtype=dtype)
    assert swept.way == ("broadcast" if expression in ELEMENTWISE else "vmap")
    eps = 8 * torch.finfo(getattr(torch, dtype)).eps
    for index, point in enumerate(swept.at["A"]):
        single = gradcli.grad(expression, at={"A": point, **fixed}, dtype=dtype)
        total = sum(one.value.sum() for one in single.outputs)
        torch.testing.assert_close(swept.value[index], total, rtol=eps, atol=eps)
        torch.testing.assert_close(swept.grad["A"][index], single.inputs["A"].grad, rtol=eps, atol=eps)


@pytest.mark.parametrize("expression", ["A**3 - A", "sin(A)*exp(-A*A)", "abs(A) + relu(A)"])
def test_the_three_ways_agree(expression: str) -> None:
    request = sweep_request(expression, "-2:2:33", None, None, mode="grad", dtype=None, device=None, seed=0)
    points = {"A": axes_of(request)[0].values}
    one, other = broadcast(request, points), mapped(request, points)
    each = [alone(request, {"A": points["A"][at : at + 1]}) for at in range(33)]
    for found in (other.value, torch.cat([single.value for single in each])):
        torch.testing.assert_close(found, one.value, rtol=1e-6, atol=1e-7)
    for found in (other.grads["A"], torch.cat([single.grads["A"] for single in each])):  # type: ignore[arg-type]
        torch.testing.assert_close(found, one.grads["A"], rtol=1e-6, atol=1e-7)


def test_a_grid_is_an_outer_product() -> None:
    swept = gradcli.sweep("A*B + c", at={"A": "0:2:3", "B": "1:4:4"}, const={"c": 10})
    assert swept.value.tolist() == [[10 + a * b for b in range(1, 5)] for a in range(3)]
    assert swept.grad["A"].tolist() == [[1, 2, 3, 4]] * 3  # type: ignore[union-attr]


def test_ranges_hit_their_ends_and_what_lies_in_the_middle() -> None:
    assert gradcli.sweep("A", at="-0.3:0.3:7", dtype="float64").at["A"][3] == 0
    assert gradcli.sweep("A", at="log:1e-3:1e3:7", dtype="float64").at["A"].tolist() == [10.0**k for k in range(-3, 4)]
    assert gradcli.sweep("A", at="5:-5:3").at["A"].tolist() == [5, 0, -5]


def test_a_gradient_of_none_is_said_with_its_reason() -> None:
    for expression, code in (("A.detach()*2", "G102"), ("B*1", "G104")):
        swept = gradcli.sweep(expression, at={"A": "-1:1:5", **({"B": 2.0} if "B" in expression else {})})
        assert swept.grad["A"] is None
        assert code in {note.code for note in swept.notes}
    assert gradcli.sweep("A*2", at="-1:1:5", mode="no_grad").grad["A"] is None
    assert "G201" in {note.code for note in gradcli.sweep("A*W", at={"A": "0:1:3", "W": [1, 2]}).notes}


def test_a_long_sweep_streams_every_point_as_csv_and_samples_its_table() -> None:
    words = ("sweep", "A**2", "--at", "A=-1:1:10001")
    lines = ask(*words, "--format", "csv").out.splitlines()
    assert lines[0] == "A,value,A.grad"
    assert len(lines) == 10002
    shown = ask(*words).out
    assert len(shown.splitlines()) < 30
    assert "more rows" in shown
    assert len(json.loads(ask(*words, "--json").out)["value"]) == 10001


REFUSED = (
    ("5:1:0", "two points or more, not 0"), ("a:b:c", "'a' is not a number"), ("0:1:1", "two points or more, not 1"),
    ("log:-1:2:5", "positive numbers"), ("nan:1:5", "finite numbers"), ("1:2", "three parts"),
    ("1:1:5", "stays at 1.0"), ("0:1:1.5", "whole number of points"), ("0:1:1000000000000", "1,000,000,000,000 points"),
    ("log:1:2", "three parts"), ("-1e308:1e309:5", "not a number"), ("0:1:-3", "whole number of points"),
    (":::", "three"), ("-1e300:1e300:4", "float32 ends"), ("3", "no input is swept"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_ranges_that_are_none_are_refused(text: str, said: str) -> None:
    with pytest.raises(GradcliError, match=said) as caught:
        gradcli.sweep("A", at={"A": text})
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"at": {"A": "0:1:3", "B": "0:1:3", "C": "0:1:3"}}, "at most 2"),
        ({"at": {"A": [1.0], "B": 1.0, "C": 1.0}, "over": "D"}, "names 'D'"),
        ({"at": {"A": "0:1:3", "B": 1.0}, "const": {"C": "0:3:4"}}, "C is a constant"),
        ({"at": {"A": 1.0, "B": 1.0, "C": 1.0}, "over": "A"}, "it is one number"),
    ],
)
def test_what_cannot_be_swept_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(GradcliError, match=said):
        gradcli.sweep("A*B*C", **given)


def test_a_range_is_for_sweep_alone() -> None:
    with pytest.raises(GradcliError, match="is a range") as caught:
        gradcli.grad("A", at="0:1:5")
    assert "gradcli sweep" in (caught.value.hint or "")


def test_a_loop_tells_how_far_it_is_to_who_listens() -> None:
    heard: list[tuple[int, int]] = []
    with heard_by(lambda done, of: heard.append((done, of))):
        swept = gradcli.sweep("linalg.cholesky(A*eye(2)).sum()", at="-1:1:150", notes=False)
    assert swept.way == "loop"
    assert heard[-1] == (150, 150)
    assert len(heard) > 1
