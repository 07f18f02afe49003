"""Whether a program works element by element, so that one evaluation of all points is an evaluation of each.

Inputs stand for one number at a point and have one dimension in the broadcast, fixed ones with a size of 1: among
tensors of one dimension dtypes promote each other as they do among numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from gradcli.language.program import Bind, Call, Enter, Input, Items, Leave, Operand, Program, SliceOf, Step, operands


def is_elementwise(program: Program, inputs: Mapping[str, torch.Tensor]) -> bool:
    """Whether every step is of the vocabulary's pointwise rows, and every input is one number at a point."""
    numbers = all(inputs[name].dim() == 0 for name in program.inputs)
    return numbers and program.upstream is None and all(map(_works_so, program.steps))


def _works_so(step: Step) -> bool:
    if isinstance(step, Call):
        function = step.function
        plain = function.pointwise and not (function.writes or function.random or function.makes)
        return plain and step.style not in {"store", "augment"} and all(map(_single, operands(step)))
    return isinstance(step, (Input, Enter, Leave)) or (isinstance(step, Bind) and step.part is None)


def _single(operand: Operand) -> bool:
    return not isinstance(operand, (Items, SliceOf))
