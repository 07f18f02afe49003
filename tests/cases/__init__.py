"""Cases as data: one JSON object a line, read by the tests that they belong to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, Any]]:
    """The objects of `name.jsonl`."""
    lines = (HERE / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]
