"""Where an evaluation departs from a better one: the first step whose result is lost, or far from what it should be."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import torch

from gradcli.engine.comparing.gaps import parts, relative_to
from gradcli.engine.defaults import tensors
from gradcli.engine.operations import operand_value
from gradcli.engine.recording import Request, make_leaves, quiet, record, recordable, seeded
from gradcli.engine.tracing import source_of, trace
from gradcli.errors import GradcliError
from gradcli.language.program import Bind, Call

MOST = 100_000  # elements of inputs; beyond, nothing is kept of the steps

Kind = Literal["overflow", "pole", "nan", "underflow", "digits"]


class Departure(NamedTuple):
    """A step: what became of its result there, its text, and the number that it gave."""

    kind: Kind
    source: str
    got: float


def first_departure(request: Request, better: Request, tolerance: float) -> Departure | None:
    """The first step that differs from the same step of a better request, or makes no finite number of finite ones."""
    mine, theirs = _steps(request), _steps(better)
    for index, step in enumerate(request.program.steps):
        if not isinstance(step, Call):
            continue
        operands = [operand_value(one, mine) for one in (*step.args, *(value for _, value in step.kwargs))]
        given = [one for one in tensors(operands) if _numbers(one)]
        for got, want in zip(tensors(mine[index]), tensors(theirs[index]), strict=False):
            found = _departs(got, want, given, tolerance)
            if found is not None:
                return Departure(found[0], source_of(request.program, index), found[1])
    return None


def first_bad_gradient(request: Request) -> tuple[str, float] | None:
    """The step nearest to the output at which a gradient arrives that is not finite, and that gradient."""
    if _large(request):
        return None
    try:
        _, steps = trace(request)
    except GradcliError:
        return None
    for (index, _), one in reversed(steps.items()):
        if one.grad is not None and _numbers(one.grad) and not bool(one.grad.isfinite().all()):
            bad = parts(one.grad)
            return source_of(request.program, index), float(bad[~bad.isfinite()][0])
    return None


def _steps(request: Request) -> list[Any]:
    """The value of every step, names for them included."""
    found: list[Any] = [None] * len(request.program.steps)
    if _large(request):
        return found

    def watch(index: int, value: Any) -> None:
        step = request.program.steps[index]
        kept = request.program.writes and not isinstance(step, Bind) and isinstance(value, torch.Tensor)
        found[index] = value.detach().clone() if kept else value

    try:
        with recordable(), quiet(), seeded(request):
            record(request, make_leaves(request), None, watch)
    except GradcliError:
        pass
    return found


def _large(request: Request) -> bool:
    return sum(one.data.numel() for one in request.given if isinstance(one.data, torch.Tensor)) > MOST


def _numbers(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _departs(
    got: torch.Tensor, want: torch.Tensor, given: list[torch.Tensor], tolerance: float
) -> tuple[Kind, float] | None:
    """What is lost of a result, where something is, and the number there."""
    if not _numbers(got) or got.shape != want.shape:
        return None
    have, true = parts(got), parts(want)
    finite = all(bool(one.isfinite().all()) for one in given)
    lost = ~have.isfinite() if finite else ~have.isfinite() & true.isfinite()
    if bool(lost.any()):
        number = float(have[lost][0])
        if math.isnan(number):
            return "nan", number
        beside = [parts(one)[lost] if one.shape == got.shape else parts(one) for one in given]
        return "pole" if any(bool((one == 0).any()) for one in beside) else "overflow", number
    gap = relative_to(have, true)
    gone = (have == 0) & (true != 0)
    if bool(gone.any()) and bool((true[gone].abs() < torch.finfo(got.dtype).smallest_normal).any()):
        return "underflow", 0.0
    if bool((gap > tolerance).any()):
        return "digits", float(have[gap.argmax()])
    return None
