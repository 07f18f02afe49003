"""Long texts and deep callers: the API answers from 500 frames deep, for sums of 2,000 terms and many inputs."""

from __future__ import annotations

import concurrent.futures

import torch

import gradcli


def from_depth(frames: int, text: str) -> gradcli.Answer:  # type: ignore[name-defined]
    return from_depth(frames - 1, text) if frames else gradcli.grad(text, at=2.0)


def test_a_sum_of_2000_terms_from_500_frames_deep() -> None:
    answer = from_depth(500, " + ".join(["A"] * 2_000))
    assert answer.output.value == 4_000.0
    assert answer.inputs["A"].grad == 2_000.0
    assert answer.notes == ()


def test_2000_nested_assignments() -> None:
    text = "B = A\n" + "B = B + 1\n" * 900 + "B"
    assert gradcli.grad(text, at=2.0).output.value == 902.0


def test_500_inputs() -> None:
    names = [f"x{index}" for index in range(500)]
    answer = gradcli.grad(" + ".join(names), at=dict.fromkeys(names, 1.0))
    assert answer.output.value == 500.0
    assert all(view.grad == 1.0 for view in answer.inputs.values())


def test_threads_do_not_disturb_each_other() -> None:
    """The default dtype is never set for all; each thread's answer keeps its own."""

    def ask(number: int) -> tuple[str, float]:
        dtype = ("float32", "float64")[number % 2]
        answer = gradcli.grad("A*ones(3)", at=float(number), dtype=dtype)
        return answer.output.dtype, answer.output.value.sum().item()

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ask, range(40)))
    assert found == [(("float32", "float64")[number % 2], 3.0 * number) for number in range(40)]
    assert torch.get_default_dtype() == torch.float32
