"""One cold answer of the command line, against the same lines as a plain Python script."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.processes import GRADCLI, PYTHON, run, script, seconds, side_by_side
from benchmarks.race import Row

BOUND = 0.8
ROUNDS = 15

SCRIPT = """\
import torch
A = torch.tensor(5.0, requires_grad=True)
B = A * 5
B.backward()
print(A, A.grad, A.requires_grad, B)
"""


def rows(rounds: int | None) -> Iterator[Row]:
    count = rounds or ROUNDS
    with script(SCRIPT) as path:
        pairs = side_by_side(lambda: run([GRADCLI, "grad", "A*5", "--at", "5.0"]), lambda: run([PYTHON, path]), count)
        yield Row('gradcli grad "A*5" --at 5.0', "the same five lines as a script", seconds(pairs), BOUND)
        pairs = side_by_side(lambda: run([PYTHON, path]), lambda: run([PYTHON, path]), max(count // 2, 2))
        yield Row("control: the script", "itself", seconds(pairs))
