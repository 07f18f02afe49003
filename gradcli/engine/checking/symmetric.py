"""Matrices that torch takes as symmetric: it reads one triangle, and differentiates by the symmetric part.

eigh, eigvalsh, cholesky and what is told that it is hermitian give the gradient of f((A + A.mT) / 2). To be held against differences and forward mode, the
program is checked with that written out before each such step.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from gradcli.engine.checking.observed import Observed
from gradcli.engine.recording import Request
from gradcli.language.naming import moved, renumbered
from gradcli.language.program import Call, Program, Ref, Step, last_reads
from gradcli.language.vocabulary import find_method
from gradcli.language.vocabulary.operators import BINARY

_READS_A_TRIANGLE = frozenset({"eigh", "eigvalsh", "cholesky", "linalg.cholesky", "cholesky_ex"})


def symmetrized(request: Request) -> Request:
    """The request with (A + A.mT) / 2 for each operand A of which one triangle is read."""
    program = request.program
    if not any(_reads(step) for step in program.steps):
        return request
    steps: list[Step] = []
    places: list[int] = []
    for step in program.steps:
        at = moved(step, places)
        if _reads(step):
            assert isinstance(at, Call)
            steps += _symmetric_part(at, len(steps))
            at = replace(at, args=(Ref(len(steps) - 1), *at.args[1:]))
        places.append(len(steps))
        steps.append(at)
    outputs = tuple(replace(one, operand=renumbered(one.operand, places)) for one in program.outputs)
    upstream = renumbered(program.upstream, places)
    frees = last_reads(tuple(steps), (*(one.operand for one in outputs), upstream))
    made: Program = replace(program, steps=tuple(steps), outputs=outputs, upstream=upstream, frees=frees)
    return request._replace(program=made)


def asymmetric(observed: Observed) -> Call | None:
    """A step whose matrix is not symmetric, though only one triangle of it counts."""
    calls = observed.calls
    for before, call in zip(calls, calls[3:], strict=False):
        if _reads(call.step) and before.step.function.name == "mT":
            matrix = before.args[0].detach()
            if matrix.numel() and not torch.allclose(
                matrix, matrix.mT, rtol=1e-12, atol=1e-12 * float(matrix.abs().max())
            ):
                return call.step
    return None


def reads_a_triangle(request: Request) -> list[Call]:
    """The steps of a program that take their matrix as symmetric."""
    return [step for step in request.program.steps if isinstance(step, Call) and _reads(step)]


def _reads(step: Step) -> bool:
    return (
        isinstance(step, Call)
        and (step.function.name in _READS_A_TRIANGLE or ("hermitian", True) in step.kwargs)
        and bool(step.args)
        and isinstance(step.args[0], Ref)
    )


def _symmetric_part(step: Call, at: int) -> list[Step]:
    found = find_method("mT")
    assert found is not None
    operand = step.args[0]
    plus, times = BINARY["+"], BINARY["*"]
    return [
        Call(found[1], found[0], "attribute", (operand,), (), step.span),
        Call(plus, plus.paths[0], "operator", (operand, Ref(at)), (), step.span),
        Call(times, times.paths[0], "operator", (Ref(at + 1), 0.5), (), step.span),
    ]
