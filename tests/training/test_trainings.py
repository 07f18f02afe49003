"""Trainings as people write them, each with one fault and again without it: code, names and lines of what is said."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from gradcli.diagnosis.catalogue import CATALOGUE
from tests.training.scripts import watched

FILE = Path(__file__).parents[1] / "cases" / "trainings.jsonl"
CASES = [json.loads(line) for line in FILE.read_text().splitlines()]

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("one_thread")]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_training_is_told_its_fault_and_no_other(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["script.py"])
    health, _ = watched(case["script"], tmp_path)
    coded = [note for note in health.notes if note.code]
    codes = {note.code for note in coded}
    assert codes & set(case["diagnosis"]) or not case["diagnosis"], health.notes
    assert codes <= {*case["diagnosis"], *case["allowed"]}, health.notes
    assert all(note.level == CATALOGUE[note.code].level for note in coded if note.code)
    told = " ".join(note.message for note in coded)
    assert [part for part in case["says"] if part not in told] == [], told


def test_every_fault_has_a_twin_without_it() -> None:
    healthy = {case["id"]: case for case in CASES if not case["diagnosis"]}
    for case in CASES:
        if case["diagnosis"]:
            assert healthy[f"{case['id']}-mended"]["script"] != case["script"]
