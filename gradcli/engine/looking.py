"""What is looked at while a program runs, so that nothing need be kept or evaluated again where all is well.

Only steps that the text was found to hold a reason for (`Program.looked`) are looked at, and only while they are small.
"""

from __future__ import annotations

from typing import Any

import torch

from gradcli.engine.proving.kinks import at_kinks
from gradcli.language.families import ADDS, KINKED, PICKS, STRETCHES
from gradcli.language.program import Call, Program, Ref

LARGEST = 100_000  # elements of an operand that is looked at for kinks
FEW = 32  # elements of a sum that is looked at for lost digits
LOSES = 2.0**-9  # a sum that is so small beside its operands has lost digits


class Looks:
    """A watch that collects the steps at which something was found, by what it is."""

    def __init__(self, program: Program, always: bool) -> None:
        self.program = program
        self.most = 1 << 30 if always else LARGEST
        self.found: dict[int, int] = {}
        self._held: dict[int, Any] = {}

    def __call__(self, index: int, value: Any) -> None:
        program, held = self.program, self._held
        plan = program.looked.get(index)
        if plan is not None:
            step = program.steps[index]
            assert isinstance(step, Call)
            for family, look in _LOOKS:
                if plan.families & family and look(self, step, [held.get(ref) for ref in plan.reads], value):
                    self.found[index] = self.found.get(index, 0) | family
        if index in program.held:
            held[index] = value
        for done in program.frees[index]:
            held.pop(done, None)

    def kinked(self, step: Call, read: list[Any], value: Any) -> bool:
        """Whether an operand is exactly at a kink."""
        live = False
        for one in read:
            if isinstance(one, torch.Tensor):
                if one.numel() > self.most:
                    return False
                live |= one.requires_grad
        return live and bool(at_kinks(step, self._held, value))

    def adds(self, step: Call, _: list[Any], value: Any) -> bool:
        """Whether a sum is far smaller than an operand, or equal to one."""
        if not isinstance(value, torch.Tensor) or not 0 < value.numel() <= FEW or not value.is_floating_point():
            return False
        result = _plain(value)
        for operand in step.args[:2]:
            one = self._held.get(operand.step) if isinstance(operand, Ref) else operand
            if isinstance(one, torch.Tensor):
                if one.shape != value.shape or not one.is_floating_point():
                    continue
                other = _plain(one)
            elif isinstance(one, (int, float)):
                other = [float(one)] * len(result)
            else:
                continue
            for a, b in zip(result, other, strict=True):
                if a == b != 0 or abs(a) < LOSES * abs(b):
                    return True
        return False

    def stretches(self, step: Call, read: list[Any], value: Any) -> bool:
        """Whether two operands are both smaller than what they make."""
        shapes = [one.shape for one in read if isinstance(one, torch.Tensor)]
        if len(shapes) < 2 or shapes.count(shapes[0]) == len(shapes):
            return False
        if isinstance(value, torch.Tensor) and step.function.pointwise:
            return sum(len(shape) > 0 and shape.numel() < value.numel() for shape in shapes) > 1
        return not step.function.pointwise

    def picks(self, step: Call, read: list[Any], _: Any) -> bool:
        """Whether an index may name an element twice."""
        for one in read:
            if isinstance(one, torch.Tensor) and not one.is_floating_point() and one.dtype != torch.bool:
                return one.numel() > 1
        return step.function.name in ("index", "store")


_LOOKS = ((KINKED, Looks.kinked), (ADDS, Looks.adds), (STRETCHES, Looks.stretches), (PICKS, Looks.picks))


def _plain(value: torch.Tensor) -> list[float]:
    return [value.item()] if value.numel() == 1 else value.detach().reshape(-1).tolist()
