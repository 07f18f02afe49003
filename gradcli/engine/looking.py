"""What is looked at while a program runs, so that nothing need be kept or evaluated again where all is well.

Only steps that the text was found to hold a reason for (`Program.looked`) are looked at, and only while they are small.
"""

from __future__ import annotations

from typing import Any

import torch

from gradcli.engine.proving.kinks import at_kinks
from gradcli.language.families import Family
from gradcli.language.program import Call, Program, operands, references

LARGEST = 100_000  # elements of an operand that is looked at for kinks
FEW = 32  # elements of a sum that is looked at for lost digits
LOSES = 2.0**-9  # a sum that is so small beside its operands has lost digits


class Looks:
    """A watch that collects the steps at which something was found, by what it is."""

    def __init__(self, program: Program, always: bool) -> None:
        self.program = program
        self.plan = dict(program.looked)
        self.most = 1 << 30 if always else LARGEST
        self.found: dict[int, Family] = {}
        self._wanted = {
            ref for index in self.plan for one in operands(program.steps[index]) for ref in references(one)
        }  # fmt: skip
        self._held: dict[int, Any] = {}

    def __call__(self, index: int, value: Any) -> None:
        families = self.plan.get(index)
        if families is not None:
            step = self.program.steps[index]
            assert isinstance(step, Call)
            for family, look in _LOOKS:
                if families & family and look(self, step, value):
                    self.found[index] = self.found.get(index, Family.NONE) | family
        if index in self._wanted:
            self._held[index] = value
        for done in self.program.frees[index]:
            self._held.pop(done, None)

    def kinked(self, step: Call, value: Any) -> bool:
        """Whether an operand is exactly at a kink."""
        held = [one for ref in _refs(step) if isinstance(one := self._held.get(ref), torch.Tensor)]
        if any(one.numel() > self.most for one in held) or not any(one.requires_grad for one in held):
            return False
        return bool(at_kinks(step, self._held, value))

    def adds(self, step: Call, value: Any) -> bool:
        """Whether a sum is far smaller than an operand, or equal to one."""
        if not isinstance(value, torch.Tensor) or not 0 < value.numel() <= FEW or not value.is_floating_point():
            return False
        result = _plain(value)
        for operand in step.args[:2]:
            one = self._held.get(operand.step) if hasattr(operand, "step") else operand
            if isinstance(one, torch.Tensor):
                if one.shape != value.shape or not one.is_floating_point():
                    continue
                pairs = zip(result, _plain(one), strict=True)
            elif isinstance(one, (int, float)):
                pairs = ((number, float(one)) for number in result)  # type: ignore[assignment]
            else:
                continue
            if any(number == other != 0 or abs(number) < LOSES * abs(other) for number, other in pairs):
                return True
        return False

    def stretches(self, step: Call, value: Any) -> bool:
        """Whether two operands are both smaller than what they make."""
        shapes = [one.shape for ref in _refs(step) if isinstance(one := self._held.get(ref), torch.Tensor)]
        if len(shapes) < 2 or all(shape == shapes[0] for shape in shapes):
            return False
        if isinstance(value, torch.Tensor) and value.dim() and step.function.pointwise:
            return sum(len(shape) > 0 and shape.numel() < value.numel() for shape in shapes) > 1
        return not step.function.pointwise

    def picks(self, step: Call, value: Any) -> bool:
        """Whether an index may name an element twice."""
        for ref in _refs(step):
            one = self._held.get(ref)
            if isinstance(one, torch.Tensor) and not one.is_floating_point() and one.dtype != torch.bool:
                return one.numel() > 1
        return step.function.name in ("index", "store")


_LOOKS = (
    (Family.KINKED, Looks.kinked), (Family.ADDS, Looks.adds), (Family.STRETCHES, Looks.stretches),
    (Family.PICKS, Looks.picks),
)  # fmt: skip


def _refs(step: Call) -> list[int]:
    return [ref for operand in operands(step) for ref in references(operand)]


def _plain(value: torch.Tensor) -> list[float]:
    value = value.detach()
    return [value.item()] if value.numel() == 1 else value.reshape(-1).tolist()
