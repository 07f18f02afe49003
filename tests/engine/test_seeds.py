"""Random functions draw from the seed, in the order of the text; the caller's generators end as they were."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import gradcli

DRAWING: list[tuple[str, dict[str, Any]]] = [
    ("A*randn(3)", {"at": 2.0}),
    ("A*rand(3)", {"at": 2.0}),
    ("A*2", {"at": "randn(3)"}),
    ("A*B", {"at": {"A": "randn(3)"}, "const": {"B": "rand(3)"}}),
    ("A*2", {"at": [1.0, 2.0], "upstream": "randn(2)"}),
    ("F.dropout(A, 0.5)", {"at": "ones(20)"}),
    ("bernoulli(A)", {"at": "rand(20)"}),
    ("A + randint(0, 1000, (3,))", {"at": 1.0}),
    ("B = A.clone()\nB.normal_()\nB*A", {"at": [1.0, 2.0]}),
    ("randperm(50)*A", {"at": 1.0}),
]


def numbers(text: str, options: dict[str, Any], seed: int | None) -> Any:
    given = options if seed is None else {**options, "seed": seed}
    answer = gradcli.grad(text, **given)
    return [
        answer.output.value.tolist(),
        *(view.grad.tolist() for view in answer.inputs.values() if view.grad is not None),
    ]


@pytest.mark.parametrize(("text", "options"), DRAWING, ids=[text for text, _ in DRAWING])
def test_a_seed_repeats_and_another_one_differs(text: str, options: dict[str, Any]) -> None:
    assert numbers(text, options, 3) == numbers(text, options, 3)
    assert numbers(text, options, None) == numbers(text, options, 0)
    assert numbers(text, options, 3) != numbers(text, options, 4)


@pytest.mark.parametrize(("text", "options"), DRAWING, ids=[text for text, _ in DRAWING])
def test_the_callers_generator_ends_as_it_was(text: str, options: dict[str, Any]) -> None:
    torch.manual_seed(123)
    before = torch.get_rng_state()
    gradcli.grad(text, **options)
    assert torch.equal(torch.get_rng_state(), before)


def test_the_draws_are_those_of_torch_seeded_alike() -> None:
    answer = gradcli.grad("A*randn(3)*B", at={"A": "randn(3)", "B": "rand(3)"}, seed=7)
    with torch.random.fork_rng():
        torch.manual_seed(7)
        A, B, drawn = torch.randn(3), torch.rand(3), torch.randn(3)
    torch.testing.assert_close(answer.inputs["A"].value, A, rtol=0, atol=0)
    torch.testing.assert_close(answer.inputs["B"].value, B, rtol=0, atol=0)
    torch.testing.assert_close(answer.output.value, A * drawn * B, rtol=0, atol=0)


def test_values_draw_in_the_order_of_the_call_and_not_of_the_text() -> None:
    one = gradcli.grad("A - B", at={"A": "randn(2)", "B": "randn(2)"})
    other = gradcli.grad("B - A", at={"A": "randn(2)", "B": "randn(2)"})
    assert one.inputs["A"].value.tolist() == other.inputs["A"].value.tolist()


def test_a_seed_in_the_text_is_obeyed() -> None:
    one, two = (gradcli.grad("torch.manual_seed(9)\nA*randn(3)", at=1.0, seed=seed).output.value for seed in (0, 1))
    assert torch.equal(one, two)


@pytest.mark.skipif(torch.accelerator.is_available(), reason="a device of its own is seeded with torch.manual_seed")
def test_seeding_does_not_look_for_devices_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = gradcli.grad("rand(3)*A", at=1.0, seed=3).output.value

    def refused(seed: int) -> None:
        raise AssertionError(seed)

    monkeypatch.setattr(torch, "manual_seed", refused)
    assert torch.equal(gradcli.grad("rand(3)*A", at=1.0, seed=3).output.value, expected)
    gradcli.evaluate("torch.manual_seed(3); rand(3)*A", at=1.0)
