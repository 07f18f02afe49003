"""Proofs make evidence again instead of keeping it: what is alive at once does not grow with the number of steps."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import gradcli

ELEMENTS = 50_000


class Peak(TorchDispatchMode):
    """Counts the bytes of all memory that operations made and that is still alive."""

    def __init__(self) -> None:
        super().__init__()
        self.alive: dict[int, int] = {}
        self.peak = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for one in torch.utils._pytree.tree_leaves(result):
            if isinstance(one, torch.Tensor):
                self._note(one.untyped_storage())
        return result

    def _note(self, memory: Any) -> None:
        at = memory._cdata
        if at not in self.alive:
            self.alive[at] = memory.nbytes()
            weakref.finalize(memory, self.alive.pop, at, None)
            self.peak = max(self.peak, sum(self.alive.values()))


def peak_of(text: str, at: Any, **options: Any) -> int:
    gc.collect()
    with Peak() as seen:
        gradcli.grad(text, at=at, verify=True, **options)
    return seen.peak


def chain(line: str, count: int, end: str = "B.sum()", begin: str = "B = A + 1") -> str:
    return "\n".join([begin, *[line] * count, end])


RATHER = torch.linspace(0.5, 1.5, ELEMENTS)
ONE_ZERO = RATHER.clone()
ONE_ZERO[3] = 0.0

# What a proof is about, a line that is repeated, how the text begins and ends, the values, the code.
PROOFS: tuple[tuple[str, str, str, torch.Tensor, str | None], ...] = (
    ("B = B + 1", "B = A + 1", "B.sum()", RATHER, None),
    ("B = B + 1", "B = sqrt(A)", "B.sum()", ONE_ZERO, "G303"),
    ("B = B + 1", "B = sqrt(A)", "where(A > 0, B, 0).sum()", ONE_ZERO, "G302"),
    ("B = B + (B > 3)", "B = sqrt(A)", "where(A > 0, B, 0).sum()", ONE_ZERO, "G302"),
    ("B = B + 1", "B = log(A)", "B.sum()", ONE_ZERO, "G301"),
    ("B = B + 1", "B = A + 1", "(0*B).sum()", RATHER, "G403"),
    ("B = B + 1", "B = A + 1", "torch.tanh(B*100).sum()", RATHER, "G402"),
    ("B = B + 1", "B = relu(A)", "B.sum()", ONE_ZERO, "G501"),
    ("B = B + 1", "B = A + 1", "B.detach().sum() + 0*A.detach().sum()", RATHER, "G102"),
    ("B += 1", "B = sqrt(A) + 0", "B.sum()", ONE_ZERO, "G303"),
)


@pytest.mark.parametrize(("line", "begin", "end", "at", "code"), PROOFS)
def test_a_proof_takes_no_more_memory_for_more_steps(
    line: str, begin: str, end: str, at: torch.Tensor, code: str | None
) -> None:
    found = gradcli.grad(chain(line, 10, end, begin), at=at, verify=True).notes
    assert code is None or code in {one.code for one in found}
    few = peak_of(chain(line, 10, end, begin), at)
    assert peak_of(chain(line, 40, end, begin), at) <= 1.05 * few


def test_three_hundred_steps_take_the_memory_of_ten() -> None:
    few, many = (peak_of(chain("B=B+1", count, begin="B = sqrt(A)"), ONE_ZERO) for count in (10, 300))
    assert many <= 1.05 * few


def test_what_backward_itself_keeps_is_kept_once_in_each_dtype() -> None:
    text = chain("B = sin(B)", 80, begin="B = sqrt(A)")
    assert peak_of(text, ONE_ZERO) <= 2.2 * peak_of(text, ONE_ZERO, notes=False)


def test_what_memory_does_not_allow_to_prove_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from gradcli.engine.proving import replay
    from gradcli.engine.proving.again import Short

    def short(*_: Any, **__: Any) -> None:
        raise Short

    monkeypatch.setattr(replay, "again", short)
    notes_of = [one.message for one in gradcli.grad("sqrt(A)", at=0.0).notes]
    assert any("--max-memory" in one for one in notes_of)
