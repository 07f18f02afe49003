"""Cases as data: one JSON object a line, read by the tests that they belong to.

The wording in them is golden: `pytest --rewrite` writes it anew, while what is claimed (codes, levels, places) stays.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, Any]]:
    """The objects of `name.jsonl`."""
    lines = (HERE / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def write(name: str, objects: list[dict[str, Any]]) -> None:
    """Write `name.jsonl` anew; characters that cannot be seen are written as escapes."""
    plain = [json.dumps(one, ensure_ascii=False) for one in objects]
    lines = [line if line.isprintable() else json.dumps(one) for line, one in zip(plain, objects, strict=True)]
    (HERE / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def numbers(given: Any) -> Any:
    """Numbers that JSON has no way to write are strings: `nan`, `1+2j`."""
    if isinstance(given, dict):
        return {name: numbers(value) for name, value in given.items()}
    if isinstance(given, list):
        return [numbers(one) for one in given]
    return given if not isinstance(given, str) else complex(given) if "j" in given else float(given)
