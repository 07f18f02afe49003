"""A line of JSON for each step, written at once: what the log holds is there however the process ends."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from gradcli.numerals import json_number
from gradcli.results import SCHEMA


class Log:
    """A file that gets a line for the start, one for each step, and one for the end."""

    def __init__(self, path: str, every: int) -> None:
        self.every = every
        self._file: int | None = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
        self._process = os.getpid()

    def start(self, script: str, arguments: list[str]) -> None:
        """Which script it is."""
        self._line({"schema": SCHEMA, "event": "start", "script": script, "arguments": arguments})

    def step(self, record: Mapping[str, Any]) -> None:
        """A step of an optimizer, if its turn has come."""
        if (record["step"] - 1) % self.every == 0:
            self._line({"event": "step", **record})

    def end(self, verdict: str, notes: list[dict[str, Any]]) -> None:
        """What the report says."""
        self._line({"event": "end", "verdict": verdict, "notes": notes})

    def _line(self, facts: Mapping[str, Any]) -> None:
        """One write a line: a reader never sees half of one, and nothing waits in a buffer."""
        if self._file is None or os.getpid() != self._process:
            return
        text = json.dumps({key: json_number(value) for key, value in facts.items()}, allow_nan=False) + "\n"
        try:
            os.write(self._file, text.encode())
        except OSError:  # no space is left: the training goes on without a log
            self._file = None
