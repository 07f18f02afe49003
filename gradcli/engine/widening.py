"""The same program in float64: every dtype that its text names, and every conversion, made as wide."""

from __future__ import annotations

from dataclasses import replace

import torch

from gradcli.engine.recording import Request
from gradcli.language.program import Call, Items, Named, Operand, Program, SliceOf, Step
from gradcli.language.vocabulary import find_method

_WIDE = {
    **dict.fromkeys(("float16", "half", "bfloat16", "float32", "float"), "float64"),
    **dict.fromkeys(("complex32", "chalf", "complex64", "cfloat"), "complex128"),
}
_CONVERSIONS = {
    **dict.fromkeys(("half", "bfloat16", "float"), "double"), **dict.fromkeys(("chalf", "cfloat"), "cdouble"),
}  # fmt: skip


def widened(program: Program) -> Program:
    """The program with float64 and complex128 where its text says something narrower."""
    return replace(program, steps=tuple(_step(step) for step in program.steps))


def _step(step: Step) -> Step:
    if not isinstance(step, Call):
        return step
    args = tuple(_operand(one) for one in step.args)
    kwargs = tuple((name, _operand(one)) for name, one in step.kwargs)
    target = _CONVERSIONS.get(step.function.name) if step.style == "method" else None
    found = find_method(target) if target else None
    if found:
        return replace(step, path=found[0], function=found[1], args=args, kwargs=kwargs)
    return replace(step, args=args, kwargs=kwargs)


def _operand(operand: Operand) -> Operand:
    if isinstance(operand, Named):
        place, _, name = operand.path.rpartition(".")
        return Named(f"{place}.{_WIDE[name]}") if place == "torch" and name in _WIDE else operand
    if isinstance(operand, Items):
        return replace(operand, elements=tuple(map(_operand, operand.elements)))
    if isinstance(operand, SliceOf):
        return SliceOf(_operand(operand.start), _operand(operand.stop), _operand(operand.step))
    return operand


def in_float64(request: Request) -> Request:
    """The request with its program and its defaults in float64."""
    settings = request.settings._replace(dtype=torch.float64)
    return request._replace(program=widened(request.program), settings=settings, dtype=None)
