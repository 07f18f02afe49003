"""Weights that do not fit a recurrent layer are refused, where torch would write past its memory; fitting ones run."""

from __future__ import annotations

import pytest
import torch

import gradcli
from gradcli.errors import GradcliError

A = torch.linspace(-1, 1, 12).reshape(1, 4, 3)  # batch, steps, features


def weights(gates: int, hidden: int, inputs: int, out: int, biases: bool) -> str:
    shapes = [f"({gates * hidden}, {inputs})", f"({gates * hidden}, {out})"]
    shapes += [f"({gates * hidden},)"] * 2 * biases + [f"({out}, {hidden})"] * (out != hidden)
    return ", ".join(f"ones{shape}*0.1" for shape in shapes)


@pytest.mark.parametrize("biases", [False, True])
@pytest.mark.parametrize(("name", "gates"), [("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("directions", [1, 2])
def test_fitting_weights_run_and_others_are_refused(
    name: str, gates: int, layers: int, directions: int, biases: bool
) -> None:
    state = f"zeros({layers * directions}, 1, 2)"
    state = f"({state}, {state})" if name == "lstm" else state
    widths = [3] * directions + [2 * directions] * directions * (layers - 1)
    fitting = ", ".join(weights(gates, 2, width, 2, biases) for width in widths)
    text = "torch.{}(A, {}, [{}], {}, {}, 0.0, False, {}, True)"
    given = (biases, layers, directions == 2)
    assert gradcli.grad(text.format(name, state, fitting, *given), at=A).inputs["A"].grad is not None
    for wrong in (fitting.replace(", 3)", ", 4)", 1), fitting.rpartition(",")[0].rpartition(",")[0]):
        with pytest.raises(GradcliError) as caught:
            gradcli.grad(text.format(name, state, wrong, *given), at=A)
        assert caught.value.exit_code in (2, 3)


def test_a_projection_has_weights_of_its_own() -> None:
    text = "torch.lstm(A, (zeros(1, 1, 1), zeros(1, 1, 2)), [{}], False, 1, 0.0, False, False, True)"
    assert gradcli.grad(text.format(weights(4, 2, 3, 1, False)), at=A).inputs["A"].grad is not None
    with pytest.raises(GradcliError, match=r"params\[2\] of lstm\(\) has the shape \[1, 3\], not \[1, 2\]"):
        gradcli.grad(text.format(weights(4, 2, 3, 1, False).replace("(1, 2)", "(1, 3)")), at=A)


@pytest.mark.parametrize(
    ("words", "wrong"),
    [("offsets=tensor([0, 2, 4])", "offsets=tensor([0, 9])"), ("lengths=tensor([1, 3])", "lengths=tensor([1, 9])")],
)
def test_segments_lie_inside_the_data(words: str, wrong: str) -> None:
    data = torch.linspace(0, 1, 4)
    assert gradcli.grad(f"torch.segment_reduce(A, 'max', {words})", at=data).inputs["A"].grad is not None
    with pytest.raises(GradcliError, match="of segment_reduce"):
        gradcli.grad(f"torch.segment_reduce(A, 'max', {wrong})", at=data)
