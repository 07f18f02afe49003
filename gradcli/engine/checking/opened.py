"""A request whose inside leaves are inputs: what the text makes with requires_grad=True can then be moved as well."""

from __future__ import annotations

from dataclasses import replace

import torch

from gradcli.engine.recording import Request
from gradcli.language.program import Bind, Call, Input, Ref


def opened(request: Request, made: dict[str, torch.Tensor]) -> Request:
    """The same program, where the steps that made leaves of these names take them from outside."""
    program = request.program
    steps = list(program.steps)
    names = []
    for step in program.steps:
        if isinstance(step, Bind) and step.name in made and isinstance(step.operand, Ref) and step.part is None:
            maker = steps[step.operand.step]
            if isinstance(maker, Call):
                steps[step.operand.step] = Input(step.name, maker.span)
                names.append(step.name)
    if not names:
        return request
    inputs = (*program.inputs, *(name for name in names if name not in program.inputs))
    return request._replace(program=replace(program, steps=tuple(steps), inputs=inputs))
