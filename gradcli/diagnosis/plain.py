"""The plain answer to a question asked again: a few numbers in, a few out, and nothing new to say of them.

What is told of an answer that a glance settles (`diagnosis.glance`) depends on its question, and on how many numbers
it has. So where one was settled, the next needs no rule: it is evaluated, and looked at for the same signs. Whatever
is not as plain is left to the long way, which begins anew: nothing was drawn, and nothing written to.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import torch

from gradcli.diagnosis.glance import settled
from gradcli.engine.evaluate import USUAL, mode_of
from gradcli.engine.gradient import Outcome, go_back
from gradcli.engine.inputs import make_tensor
from gradcli.engine.looking import MOST, Looks, has_zero
from gradcli.engine.nodes import name_of
from gradcli.engine.plan import NUMBERS_IN, Plan, plan_of
from gradcli.engine.proving.signs import LEAST, SMALL, apparent, mostly_zero, size_of
from gradcli.engine.readable import readable
from gradcli.engine.recording import Request, records
from gradcli.language.values import Given
from gradcli.results import Answer, Note, TensorView

COUNTS = 64  # counts of numbers for which it is kept what is told
_MADE = tuple.__new__  # of a named tuple whose fields are all given, in half the time
_PLAIN = frozenset({torch.float32, torch.float64})


class Plain:
    """The plain way to the answers of one question, and what is told of them: `told`, by the count of numbers."""

    def __init__(self, request: Request, plan: Plan, answer: Answer) -> None:
        self.request = request
        self.plan = plan
        self.asked = answer.asked
        self.origins = {name: view.origin for name, view in answer.inputs.items()}
        self.told: dict[int, tuple[Note, ...]] = {}
        self.backward = request.backward and request.mode == "grad"
        self.judged = request.notes is True
        looked = request.program.looked.values()
        self.zeros = [one.zeros for one in looked if one.zeros is not None] if self.judged else []
        self.further = self.judged and len(self.zeros) < len(looked)

    def answer(self, command: str, values: Collection[Any]) -> Answer | None:
        """The answer with these values; None where it may not be plain."""
        if not records():
            return None
        request = self.request
        given = tuple(
            [_MADE(Given, (one[0], value, False, None, None)) for one, value in zip(request.given, values, strict=True)]
        )
        if not NUMBERS_IN.issuperset([type(value) for value in values]):
            return None
        try:
            leaves = {one.name: make_tensor(one, None, request.settings, False) for one in given}
            if not _PLAIN.issuperset([leaf.dtype for leaf in leaves.values()]):
                return None  # before anything is recorded: the caller may have hooks on what is saved
            steps = self._values(leaves)
            if steps is None:
                return None
            result = steps[self.plan.output]
            notes = self.told.get(result.numel())
            if notes is None:
                return None
            began = go_back(request, (result,), None) if self.backward else None
        except Exception:
            return None
        inputs, value = self._inputs(leaves), result.detach()
        if inputs is None or (self.judged and not self._sound(value, inputs, steps, began)):
            return None
        name, label, span = self.plan.labels[0]
        node = name_of(result.grad_fn)
        output = (name, label, value, node is not None, node is None, node, None, None, span)
        return Answer(
            command, request.program, request.mode, inputs, (_MADE(TensorView, output),), notes, self.asked, given
        )

    def _values(self, leaves: dict[str, torch.Tensor]) -> list[Any] | None:
        """The values of all steps, where the output is plain numbers, and recorded if there are to be gradients."""
        plan, mode = self.plan, self.request.mode
        with mode_of(mode):
            values = plan.values(leaves)
        if values is None:
            return None
        result = values[plan.output]
        recorded = result.grad_fn is not None
        plain = recorded == (mode == "grad") == result.requires_grad and result.dtype in _PLAIN
        return values if plain else None

    def _inputs(self, leaves: dict[str, torch.Tensor]) -> dict[str, TensorView] | None:
        """What is told of the inputs; None where a gradient did not arrive."""
        views = {}
        for name, origin in self.origins.items():
            leaf = leaves[name]
            grad = leaf.grad
            if grad is not None:
                grad = readable(grad)
            elif self.backward:
                return None
            views[name] = _MADE(TensorView, (name, name, leaf.detach(), True, True, None, grad, origin, None))
        return views

    def _sound(
        self, value: torch.Tensor, inputs: dict[str, TensorView], steps: list[Any], began: torch.Tensor | None
    ) -> bool:
        """Whether neither the value, nor a gradient beside it, nor a step on the way shows a sign of something off."""
        size = size_of(value, began)
        if size - size != 0:
            return False
        for view in inputs.values():
            grad = view.grad
            if grad is None:
                continue
            if not apparent(grad, size) or (LEAST <= grad.numel() <= SMALL and mostly_zero(grad)):
                return False
        for place in self.zeros:
            if has_zero(steps[place], MOST[False]):
                return False
        if self.further:
            looks = Looks(self.request.program, False)
            looks.after(steps)
            return not looks.found
        return True


def learnt(plain: Plain | None, outcome: Outcome, answer: Answer) -> Plain | None:
    """The plain way, taught by an answer that was found the long way; None as long as there is none."""
    request = outcome.request
    if request.settings != USUAL or request.wrt is not None:
        return None
    if plain is None:
        plan = plan_of(request.program)
        if plan is None or not plan.unheard(request) or not all(view.requires_grad for view in answer.inputs.values()):
            return None
        plain = Plain(request, plan, answer)
    count = outcome.results[0].numel()
    new = count not in plain.told and len(plain.told) < COUNTS and count <= plain.plan.most and not outcome.made
    if new and (request.notes is False or settled(outcome)):
        plain.told[count] = answer.notes
    return plain
