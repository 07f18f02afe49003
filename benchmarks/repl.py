"""`gradcli repl`: an answer after the first, its table drawn, against torch and a print, written by hand."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

from benchmarks.race import Row, race
from gradcli.doors.environment import Environment
from gradcli.doors.repl.loop import answer, begun

ROUNDS = 41


def rows(rounds: int | None) -> Iterator[Row]:
    yield Row("repl 3*B where B = A**2", "torch by hand, printed", race(_repl(), _by_hand(), rounds or ROUNDS))


def _repl() -> Callable[[], object]:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    state = begun(Environment(stream, stream, stream, {}), {})
    for line in ("A = 5.0", "B = A**2"):
        after, _ = answer(state, line)
        assert after is not None
        state = after

    def ask() -> object:
        stream.seek(0)
        return answer(state, "3*B")

    return ask


def _by_hand() -> Callable[[], object]:
    import torch

    stream = io.StringIO()

    def ask() -> object:
        stream.seek(0)
        leaf = torch.tensor(5.0, requires_grad=True)
        output = 3 * leaf**2
        output.backward()
        return print(leaf, leaf.grad, output, leaf.requires_grad, output.grad_fn, file=stream)

    return ask
