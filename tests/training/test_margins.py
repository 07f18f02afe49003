"""Thresholds have room on both sides: what is ill stays so beyond them, health below them."""

from __future__ import annotations

import pytest
import torch

import gradcli
from tests.training import healthy
from tests.training.sick import ROWS, Loop

STRICT = {"fall": 5e3, "growth": 5e3, "burst": 5e3, "dead": 0.25, "held": 8.0, "lost": 0.9, "unclean": 0.7}
LAX = {"fall": 200.0, "growth": 200.0, "burst": 100.0, "dead": 0.05, "held": 2.0, "lost": 0.25, "unclean": 0.2}

MEASURED = [(code, loop) for code, loop in ROWS if code in {"G704", "G705", "G706", "G707", "G710", "G712"}]
# Not those that are as healthy as any other, and take seconds.
QUICK = [loop for loop in healthy.LOOPS if loop is not healthy.compiled]


@pytest.mark.parametrize(("code", "loop"), MEASURED, ids=[loop.__name__ for _, loop in MEASURED])
def test_an_illness_is_well_beyond_its_threshold(code: str, loop: Loop) -> None:
    torch.manual_seed(0)
    with gradcli.watch(thresholds=STRICT) as health:
        loop(True)
    assert code in health.codes


@pytest.mark.parametrize("loop", QUICK, ids=[loop.__name__ for loop in QUICK])
def test_health_is_well_within_the_thresholds(loop: healthy.Loop) -> None:
    torch.manual_seed(1)
    with gradcli.watch(thresholds=LAX) as health:
        loop()
    assert health.codes == set(), str(health)
