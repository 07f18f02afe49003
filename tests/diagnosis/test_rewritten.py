"""What to write instead of a refused write in place, and of a step that cuts the path: it has the same value."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import gradcli

_STATES = "h = torch.zeros(3)\nh[0] = x[0]\nh[1] = h[0]*x[1]\nh[2] = h[1]*x[2]\nh.sum()"

# A text, its values, the code of its refusal, and each part with what to write instead of it.
ROWS: tuple[tuple[str, Any, str, tuple[tuple[str, str], ...]], ...] = (
    ("A += 1\nA*2", [3.0], "G203", (("A += 1", "A = A + 1"),)),
    ("A.sub_(0.1).sum()", [1.0, 2.0], "G203", (("A.sub_(0.1)", "A.sub(0.1)"),)),
    ("w[0] = 0.0\n(w*2).sum()", [1.0, 2.0], "G203", (("w[0] = 0.0", "w = w.clone(); w[0] = 0.0"),)),
    ("y = x[0]\ny += 1\nx.sum()", [1.0, 2.0], "G203", (("y = x[0]", "x = x.clone(); y = x[0]"),)),
    ("F.relu(x, inplace=True).sum()", [-1.0, 2.0], "G203", (("F.relu(x, inplace=True)", "F.relu(x)"),)),
    ("h = torch.relu(x)\nh[0] = 0\nh.sum()", [1.0, 2.0], "G202", (("torch.relu(x)", "torch.relu(x).clone()"),)),
    (_STATES, [2.0, 3.0, 4.0], "G202", (("h[0]*", "h[0].clone()*"), ("h[1]*", "h[1].clone()*"))),
    ("B = A + 1\nC = B*B\nB.zero_()\nC.sum()", [1.0], "G202", (("B.zero_()", "B = B.clone(); B.zero_()"),)),
)


@pytest.mark.parametrize(("text", "value", "code", "parts"), ROWS, ids=[one[0] for one in ROWS])
def test_what_is_offered_is_what_was_refused(
    text: str, value: Any, code: str, parts: tuple[tuple[str, str], ...]
) -> None:
    with pytest.raises(gradcli.GradcliError) as refused:
        gradcli.grad(text, at=value)
    assert refused.value.code == code
    said = [f"{instead.removesuffix('*')} instead of {part.removesuffix('*')}" for part, instead in parts]
    assert refused.value.hint == f"write {', and '.join(said)}"
    instead = text
    for part, other in parts:
        assert instead.count(part) == 1
        instead = instead.replace(part, other)
    answer, was = gradcli.grad(instead, at=value), gradcli.evaluate(text, at=value, mode="no_grad")
    assert torch.equal(answer.output.value, was.output.value)
    assert not [note for note in answer.notes if note.level == "warning"]


def test_no_hint_is_offered_that_does_not_hold() -> None:
    with pytest.raises(gradcli.GradcliError) as refused:
        gradcli.grad("B = A.expand(3)\nB.add_(1)\nB.sum()", at=[1.0])
    assert refused.value.hint == "write out of place, or change a copy: A.clone()"


# A text that cuts a path, values, and what to write instead; None where that would be another answer.
CUTS: tuple[tuple[str, dict[str, Any], str | None], ...] = (
    ("(A.detach()*3).sum()", {"A": [1.0, 2.0]}, "(A*3).sum()"),
    ("torch.tensor(A).pow(2).sum()", {"A": [1.0, 2.0]}, "A.pow(2).sum()"),
    ("torch.tensor([A[0]*2, A[1]*3]).sum()", {"A": [1.0, 2.0]}, "torch.stack([A[0]*2, A[1]*3]).sum()"),
    ("l = (A - 1)**2\nl.detach() + B", {"A": 3.0, "B": 1.0}, "l = (A - 1)**2\nl + B"),
    ("2*(A + B).data", {"A": 3.0, "B": 1.0}, "2*(A + B)"),
    ("((torch.sign(A) - A).detach() + A.detach()).sum()", {"A": [0.5, -2.0]}, None),
    ("sqrt(A).detach()*2", {"A": [0.0, 2.0]}, None),
)


@pytest.mark.parametrize(("text", "at", "instead"), CUTS, ids=[one[0] for one in CUTS])
def test_a_cut_is_mended_where_nothing_but_the_gradient_changes(
    text: str, at: dict[str, Any], instead: str | None
) -> None:
    said = [one.message for one in gradcli.grad(text, at=at, verify=True).notes if one.code == "G102"]
    assert said
    if instead is None:
        assert not any("Write " in one for one in said)
        return
    assert f" Write {instead}: " in said[0]
    answer = gradcli.grad(instead, at=at, verify=True)
    assert torch.equal(answer.output.value, gradcli.grad(text, at=at).output.value)
    assert all(view.grad is not None for view in answer.inputs.values())
    assert not [one for one in answer.notes if one.level == "warning"]
