"""What is looked at while a program runs, so that nothing need be kept or evaluated again where all is well.

Only steps that the text was found to hold a reason for (`Program.looked`) are looked at, and only while they are small.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any

import torch

from gradcli.engine.proving.kinks import at_kinks, no_zero
from gradcli.language.families import ADDS, KINKED, PICKS, STRETCHES, Looked
from gradcli.language.program import Program, Ref

# Elements of an operand that is looked at for kinks, by what is to be proved though nothing points to it: nothing, as
# in the API, what a command line waits for, or everything.
MOST: dict[bool | None, int] = {False: 1 << 13, None: 100_000, True: 1 << 30}
FEW = 32  # elements of a sum that is looked at for lost digits
LOSES = 2.0**-9  # a sum that is so small beside its operands has lost digits


class Looks:
    """A watch that collects the steps at which something was found, by what it is."""

    def __init__(self, program: Program, verify: bool | None) -> None:
        self.program = program
        self.most = MOST[verify]
        self.found: dict[int, int] = {}
        self._held: dict[int, Any] = {}

    def __call__(self, index: int, value: Any) -> None:
        program, held = self.program, self._held
        if index in program.looked:
            self._look(index, program.looked[index], value)
        if index in program.held:
            held[index] = value
        if held:
            for done in program.frees[index]:
                held.pop(done, None)

    def after(self, values: list[Any]) -> None:
        """Look at the values of all steps at once, none of which was let go."""
        closer = [
            (index, plan)
            for index, plan in self.program.looked.items()
            if plan.zeros is None or has_zero(values[plan.zeros], self.most)
        ]
        if closer:
            self._held = dict(enumerate(values))
            for index, plan in closer:
                self._look(index, plan, values[index])
            self._held = {}

    def _look(self, index: int, plan: Looked, value: Any) -> None:
        families, reads, zeros = plan
        step, held, found = self.program.steps[index], self._held, 0
        if families & ADDS and isinstance(value, torch.Tensor) and value.numel() <= FEW and self._adds(step, value):
            found |= ADDS
        if families != ADDS:
            read = [held.get(ref) for ref in reads]
            if families & KINKED and self._kinked(step, read, zeros is not None, value):
                found |= KINKED
            if families & STRETCHES and _stretches(step, read, value):
                found |= STRETCHES
            if families & PICKS and _picks(step, read):
                found |= PICKS
        if found:
            self.found[index] = found

    def _kinked(self, step: Any, read: list[Any], at_zero: bool, value: Any) -> bool:
        """Whether an operand is exactly at a kink."""
        live = False
        for one in read:
            if isinstance(one, torch.Tensor):
                if one.numel() > self.most:
                    return False
                live |= one.requires_grad
        if not live or (at_zero and not has_zero(read[0], self.most)):
            return False
        return bool(at_kinks(step, self._held, value))

    def _adds(self, step: Any, value: torch.Tensor) -> bool:
        """Whether a sum is far smaller than an operand, or equal to one."""
        if not value.is_floating_point():
            return False
        result = _numbers(value)
        for operand in step.args[:2]:
            one = self._held.get(operand.step) if isinstance(operand, Ref) else operand
            if isinstance(one, torch.Tensor):
                if one.shape != value.shape:
                    continue
                others: Iterable[Any] = _numbers(one)
            elif isinstance(one, (int, float)):
                others = repeat(float(one))
            else:
                continue
            if any(map(_lost, result, others)):
                return True
        return False


def _lost(total: float, operand: float) -> bool:
    """Whether a sum is far smaller than an operand, or equal to it."""
    least = abs(LOSES * operand)
    return total == operand != 0 or -least < total < least or total == 0 != operand


def has_zero(operand: torch.Tensor, most: int) -> bool:
    """Whether an operand, of at most so many elements, has a zero."""
    return operand.numel() <= most and not no_zero(operand)


def _numbers(value: torch.Tensor) -> Sequence[Any]:
    return (value.item(),) if not value.dim() else value.reshape(-1).tolist()


def _stretches(step: Any, read: list[Any], value: Any) -> bool:
    """Whether two operands are both smaller than what they make."""
    shapes = [one.shape for one in read if isinstance(one, torch.Tensor)]
    if len(shapes) < 2 or shapes.count(shapes[0]) == len(shapes):
        return False
    if isinstance(value, torch.Tensor) and step.function.pointwise:
        return sum(len(shape) > 0 and shape.numel() < value.numel() for shape in shapes) > 1
    return not step.function.pointwise


def _picks(step: Any, read: list[Any]) -> bool:
    """Whether an index may name an element twice."""
    whole = [
        one for one in read if isinstance(one, torch.Tensor) and not one.is_floating_point() and one.dtype != torch.bool
    ]
    if whole:
        return any(one.numel() > 1 for one in whole)
    return step.function.name in ("index", "store")
