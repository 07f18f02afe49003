"""No false alarm: healthy loops of many kinds, which end with the same parameters as unwatched ones."""

from __future__ import annotations

import pytest

import gradcli
from tests.training.healthy import LOOPS, Loop
from tests.training.test_sick import same, seeded


@pytest.mark.parametrize("loop", LOOPS, ids=[one.__name__ for one in LOOPS])
@pytest.mark.parametrize("thorough", [False, True])
def test_a_healthy_loop_is_called_healthy_and_is_not_changed(loop: Loop, thorough: bool) -> None:
    with gradcli.watch(thorough=thorough) as health:
        watched = seeded(loop)
    assert health.codes == set(), str(health)
    assert health.verdict.startswith("healthy")
    hidden = [note.message for note in health.health.notes if note.code is None]
    assert hidden == (["a compiled model hides its operations: dead units (G707) and lines are not told of it."]
                      if loop.__name__ == "compiled" else [])  # fmt: skip
    assert same(seeded(loop), watched)
