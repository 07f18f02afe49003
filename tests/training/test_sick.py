"""Thirty illnesses: each is named, its healthy twin is not, and neither is changed by being watched."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import gradcli
from tests.training.sick import ROWS, Loop

NAMES = [f"{code}-{loop.__name__}" for code, loop in ROWS]

# What may be said besides: where a NaN is clipped, it is in the gradients, too.
BESIDES = {"clipped_infinity": {"G708"}}


def seeded(run: Callable[[], list[torch.Tensor]]) -> list[torch.Tensor]:
    torch.manual_seed(0)
    return [one.detach().clone() for one in run()]


def same(some: list[torch.Tensor], others: list[torch.Tensor]) -> bool:
    return all(torch.equal(a.nan_to_num(7.0), b.nan_to_num(7.0)) for a, b in zip(some, others, strict=True))


@pytest.mark.parametrize(("code", "loop"), ROWS, ids=NAMES)
def test_an_illness_is_named_and_nothing_is_changed(code: str, loop: Loop) -> None:
    plain = seeded(lambda: loop(True))
    with gradcli.watch() as health:
        watched = seeded(lambda: loop(True))
    assert health.codes - BESIDES.get(loop.__name__, set()) == {code}, str(health)
    assert same(plain, watched)


@pytest.mark.parametrize(("code", "loop"), ROWS, ids=NAMES)
def test_its_healthy_twin_is_not(code: str, loop: Loop) -> None:
    with gradcli.watch() as health:
        loop(False)
    assert code not in health.codes
    assert health.codes == set(), str(health)
