"""Grad modes side by side: what torch records of each, what it keeps, and a verdict that heeds the spread of times."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import gradcli
from gradcli.compared import Times
from gradcli.engine.comparing import timing
from gradcli.engine.comparing.timing import interleaved, times_of
from gradcli.engine.saved import saved_bytes
from tests.command_line import ask

KEPT = [  # text, the value of A, bytes kept for backward, bytes of these that are not memory of A
    ("A*5", "ones(10)", 0, 0),
    ("A**2", "ones(10)", 40, 0),
    ("A*A", "ones(10)", 40, 0),
    ("exp(A)", "ones(10)", 40, 40),
    ("exp(A)*A", "ones(10)", 80, 40),
    ("exp(A).view(2, 5).sin()", "ones(10)", 40, 40),
    ("B = A*2; B[:5]*B[5:]", "ones(10)", 40, 40),
    ("A.sum()", "ones(10)", 0, 0),
    ("with torch.no_grad(): B = exp(A)\nB*A", "ones(10)", 40, 40),
]


@pytest.mark.parametrize(("text", "at", "kept", "beside"), KEPT)
def test_bytes_kept_for_backward_are_counted_once(text: str, at: str, kept: int, beside: int) -> None:
    grad, *others = gradcli.compare(text, at=at, rounds=0).columns
    assert (grad.saved, grad.beside) == (kept, beside)  # type: ignore[attr-defined]
    assert [(one.saved, one.beside) for one in others] == [(0, 0)] * 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", [*(text for text, *_ in KEPT), "A[:3].exp()*A[:3]", "(A*2).expand(4, 10).sin()"])
def test_a_graph_tells_the_same_bytes(text: str) -> None:
    grad = gradcli.compare(text, at="ones(10)", rounds=0).columns[0]
    assert grad.saved == gradcli.graph(text, at="ones(10)").saved_bytes  # type: ignore[attr-defined]


def test_saved_bytes_tells_memory_apart_that_was_let_go() -> None:
    a = torch.ones(1000, requires_grad=True)

    def evaluate() -> torch.Tensor:
        for _ in range(10):
            result = (a * 2).exp()
        return result

    assert saved_bytes(evaluate).total == 10 * 4000


def test_columns_tell_what_torch_records() -> None:
    columns = {one.name: one for one in gradcli.compare("(A*A).sum()", at=[1.0, 2.0], rounds=0).columns}
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    ways: dict[str, tuple[Callable[[], Any], torch.Tensor]] = {
        "grad": (torch.enable_grad, a), "no_grad": (torch.no_grad, a), "inference": (torch.inference_mode, a),
        "detached": (torch.enable_grad, a.detach()),
    }  # fmt: skip
    for name, (mode, leaf) in ways.items():
        with mode():
            made = (leaf * leaf).sum()
        column: Any = columns[name]
        (view,) = column.outputs
        node = made.grad_fn.name() if made.grad_fn is not None else None
        assert (view.requires_grad, view.is_leaf, view.grad_fn) == (made.requires_grad, made.is_leaf, node)
        assert column.inference is made.is_inference()
        assert float(view.value) == 5.0
        assert column.nodes == (3 if name == "grad" else 0)
        grad = column.grads["A"]
        assert (grad.tolist() if grad is not None else None) == ([2.0, 4.0] if name == "grad" else None)
        assert (column.why is None) == (name == "grad")


def test_a_leaf_made_by_the_text_is_detached_too() -> None:
    found = gradcli.compare("A = torch.tensor([5.0], requires_grad=True); A*5", rounds=0)
    (view,) = found.columns[3].outputs  # type: ignore[attr-defined]
    assert (found.columns[3].name, view.requires_grad, view.value.tolist()) == ("detached", False, [25.0])


def test_a_mode_that_torch_refuses_leaves_the_others_standing() -> None:
    found = gradcli.compare("A += 1; A*2", at=1.0, rounds=3)
    assert [bool(one.refused) for one in found.columns] == [True, False, False, False]  # type: ignore[attr-defined]
    assert "torch refuses grad" in found.verdict
    assert [(note.code, note.level) for note in found.notes] == [("G203", "warning")]


def test_a_refused_way_back_leaves_the_value() -> None:
    grad: Any = gradcli.compare("A*1j", at=2.0, rounds=0).columns[0]
    assert (complex(grad.outputs[0].value), grad.grads["A"], grad.why) == (2j, None, "refused")
    (line,) = (one for one in ask("compare", "A*1j", "--rounds", "0").out.splitlines() if one.startswith("│ refused"))
    assert line.split()[1:5] == ["refused", "│", "backward", "│"]


def test_what_torch_refuses_everywhere_is_an_error() -> None:
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.compare("A @ A", at=[[1.0, 2.0]], rounds=0)
    assert (caught.value.kind, caught.value.source) == ("torch", "A @ A")


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_the_mode_of_the_caller_does_not_matter(mode: Callable[[], Any]) -> None:
    with mode():
        found: Any = gradcli.compare("A*A", at=[3.0, 1.0], rounds=2)
        parted = gradcli.compare(["A*A", "A**2"], at=[3.0, 1.0])
        narrow: Any = gradcli.compare("A*A", at=[3.0, 1.0], dtypes="float16").columns[0]
    assert found.columns[0].grads["A"].tolist() == narrow.grads["A"].tolist() == [6.0, 2.0]
    assert found.columns[0].backward.rounds == 2
    assert parted.verdict == "they agree, and many-digit arithmetic gives the same"


def test_a_tensor_passed_in_is_left_alone() -> None:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    gradcli.compare("A += 1; exp(A)", at=a, rounds=3)
    gradcli.compare("exp(A)", at=a, rounds=3)
    assert (a.tolist(), a.grad) == ([1.0, 2.0], None)


def test_every_round_runs_all_ways_in_another_order() -> None:
    ran: list[str] = []

    def way(name: str) -> Callable[[Callable[[], float]], tuple[float]]:
        return lambda _: (float(ran.append(name) is None),)

    times = interleaved([way("a"), way("b"), way("c")], 3)
    assert "".join(ran) == "abc" + "bca" + "cab" + "abc"
    assert [one[0].rounds for one in times] == [3, 3, 3]


def test_times_are_a_median_and_the_middle_of_the_rounds() -> None:
    assert times_of([5.0, 1.0, 3.0, 2.0]) == Times(2.5, 1.0, 5.0, 4)
    assert times_of([float(one) for one in range(101)]) == Times(50.0, 10.0, 90.0, 101)
    assert Times(2.0, 1.5, 4.0, 9).spread == 2.0


def clocked(monkeypatch: pytest.MonkeyPatch, slower: float, noise: float) -> None:
    """A clock that takes what a test says: recording is so much slower, and every fifth round has noise."""
    now = [0.0, 0.0]

    def clock() -> float:
        now[1] += 1
        recording = torch.is_grad_enabled() and not torch.is_inference_mode_enabled()
        now[0] += (2e-3 * (slower if recording else 1)) + (noise if now[1] % 5 < 2 else 0.0)
        return now[0]

    monkeypatch.setattr(timing, "clock", clock)


def test_a_difference_beyond_the_noise_is_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    clocked(monkeypatch, slower=1.5, noise=1e-4)
    verdict = gradcli.compare("exp(A)", at="ones(1000)", rounds=20).verdict
    assert verdict.startswith("no_grad saves memory: grad keeps 3.9 KB for backward, no_grad nothing; ")
    assert "no_grad is 33 % faster: a forward pass takes 2 ±" in verdict


def test_a_difference_that_drowns_is_too_small_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    clocked(monkeypatch, slower=1.5, noise=1e-2)
    verdict = gradcli.compare("A*5", at=5.0, rounds=20).verdict
    assert verdict.startswith("whether no_grad is faster is too small to tell: ")
    assert verdict.endswith("; no_grad saves no memory: grad keeps none for backward")


def test_times_as_they_look(monkeypatch: pytest.MonkeyPatch, rewrite: bool) -> None:
    """With a clock of the test's own, as no golden text may hold a measured time."""
    shown = ""
    for words in (["A*5", "--at", "5.0"], ["exp(A)", "--at", "zeros(500, 500)"]):
        clocked(monkeypatch, slower=1.5, noise=1e-4)
        said = ask("compare", *words, "--rounds", "9", terminal=True, columns=80, variables={"NO_COLOR": "1"})
        shown += "\n".join(line.rstrip() for line in said.out.splitlines()) + "\n\n"
    file = Path(__file__).parent / "times.txt"
    if rewrite:
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8")


def test_times_are_left_out_where_none_is_asked_for() -> None:
    found: Any = gradcli.compare("exp(A)", at=1.0, rounds=0)
    assert all(one.forward is None and one.backward is None for one in found.columns)
    assert "faster" not in found.verdict
    assert "forward (" not in str(found)


def test_rounds_are_found_where_none_are_given() -> None:
    found: Any = gradcli.compare("exp(A)", at=1.0)
    assert timing.LEAST <= found.columns[0].forward.rounds <= timing.MOST
    assert found.columns[1].backward is None
