"""What needs no torch: help, version, functions, and errors that are found before anything is computed."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.processes import GRADCLI, PYTHON, run, seconds, side_by_side
from benchmarks.race import Row

BOUND = 0.2
ROUNDS = 9

# words -> the exit code that is expected.
ASKED: tuple[tuple[tuple[str, ...], int], ...] = (
    (("--help",), 0),
    (("--version",), 0),
    (("grad", "--help"), 0),
    (("functions",), 0),
    (("functions", "--json"), 0),
    (("functions", "softmax"), 0),
    (("grad", "A*"), 2),
    (("grad", "sine(A)"), 2),
    (("grad", "A*5", "--at"), 2),
    (("grad", "A*5", "--at", "[1, [2]]"), 2),
)


def rows(rounds: int | None) -> Iterator[Row]:
    for words, code in ASKED:
        pairs = side_by_side(
            lambda words=words, code=code: run([GRADCLI, *words], code),  # type: ignore[misc]
            lambda: run([PYTHON, "-c", "import torch"]),
            rounds or ROUNDS,
        )
        shown = " ".join(f'"{word}"' if set(word) & set("*[( ") else word for word in words)
        yield Row(f"gradcli {shown}", 'python -c "import torch"', seconds(pairs), BOUND)
