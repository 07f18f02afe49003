"""`gradcli batch` over many lines of small expressions, against a loop over the same lines that is written by hand.

The loop does what a script for that one expression would: read a line of JSON, make the leaves, compute, go back, and
write values, gradients and flags as a line of JSON. For information also beside the bare loop in torch, without JSON.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.race import Row, race
from benchmarks.small import Case, cases, computed
from gradcli.doors import cli
from gradcli.doors.environment import Environment

BOUND = 3.0
LINES = 10_000
ROUNDS = 3


def rows(rounds: int | None) -> Iterator[Row]:
    for case in cases():
        with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
            path = Path(folder) / "questions.jsonl"
            path.write_text(f"{json.dumps(_question(case))}\n" * LINES)
            asked = str(path)
            ours = _batch(asked, nowhere)
            name = f"batch {'grad' if case.backward else 'eval'} {case.expression}, {LINES:,} lines"
            name += "" if case.mode == "grad" else f" {case.mode}"
            by_hand = race(ours, _by_hand(case, asked, nowhere), rounds or ROUNDS, seconds=0)
            yield Row(name, "torch and json by hand", by_hand, BOUND)
            yield Row(name, "torch by hand", race(ours, _torch(case), rounds or ROUNDS, seconds=0))


def _question(case: Case) -> dict[str, Any]:
    command = "grad" if case.backward else "eval"
    return {"command": command, "expression": case.expression, "at": case.at, "mode": case.mode}


def _batch(path: str, nowhere: Any) -> Callable[[], object]:
    environment = Environment(stdout=nowhere)

    def work() -> object:
        code = cli.run(["batch", path], environment)
        if code:
            raise RuntimeError(f"batch ended with {code}")
        return code

    return work


def _by_hand(case: Case, path: str, nowhere: Any) -> Callable[[], object]:
    def work() -> object:
        with open(path) as lines:
            for line in lines:
                at = json.loads(line)["at"]
                output, leaves = computed(case, at)
                inputs = [
                    {"name": name, "grad": None if leaf.grad is None else leaf.grad.tolist(), **_facts(leaf)}
                    for name, leaf in zip(at, leaves, strict=True)
                ]
                nowhere.write(json.dumps({"inputs": inputs, "output": _facts(output)}) + "\n")
                nowhere.flush()
        return None

    return work


def _facts(tensor: Any) -> dict[str, Any]:
    return {
        "value": tensor.tolist(), "shape": list(tensor.shape), "dtype": str(tensor.dtype),
        "requires_grad": tensor.requires_grad, "grad_fn": tensor.grad_fn and tensor.grad_fn.name(),
    }  # fmt: skip


def _torch(case: Case) -> Callable[[], object]:
    def work() -> object:
        for _ in range(LINES):
            output, leaves = computed(case, case.at)
            _ = output.detach(), output.requires_grad, output.grad_fn, [(one.detach(), one.grad) for one in leaves]
        return None

    return work
