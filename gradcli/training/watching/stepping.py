"""What is done before and after each step of an optimizer, and when its gradients are clipped."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from gradcli.training.watching import optimizers, updates
from gradcli.training.watching.groups import Group
from gradcli.training.watching.zeroing import ENOUGH, empty

if TYPE_CHECKING:
    from gradcli.training.watching.events import Events


class Stepping(threading.local):
    """The events of optimizers, and the step that is under way: each thread has its own."""

    def __init__(self, events: Events) -> None:
        self._seen = events
        self.samples: list[updates.Sample] = []
        self.loss: float | None = None  # of the last pass
        self.evaluated = 0  # closures before this step
        self.passes = 0  # inside of it
        self.emptied = 0  # of these, the ones that began with cleared gradients
        self.now: tuple[Group, bool] | None = None  # whose step is under way, and whether it was given a closure

    def before(self, optimizer: Any, arguments: Any, keywords: Any) -> None:
        """A step is about to begin."""
        seen = self._seen
        closure = optimizers.closed(arguments, keywords)
        gradients = optimizers.gradients(optimizer)
        seen.adopt()
        params = optimizers.parameters(optimizer)
        if self._within_another(optimizer, params):
            return
        group = seen.book.group(optimizer)
        self.now = (group, closure)
        group.thread = threading.get_ident()
        seen.bad_stepped |= not math.isfinite(self.loss or 0.0)
        if closure:
            self.evaluated, self.passes, self.emptied = optimizers.evaluations(optimizer), 0, 0
        seen.book.hold(group, params)
        detail = group.steps + 1 >= group.due
        if not closure:
            seen.zeroing.stepping(group)
            self._look(group, params, gradients, optimizer)
        self.samples = updates.before(group.records, params) if detail else []

    def _within_another(self, optimizer: Any, params: Sequence[torch.Tensor]) -> bool:
        """Whether an optimizer steps inside the step of another that holds the same parameters."""
        outer = self.now[0].optimizer if self.now is not None else None
        if outer is None or outer is optimizer:
            return False
        return not {id(one) for one in params}.isdisjoint(map(id, optimizers.parameters(outer)))

    def after(self, optimizer: Any, arguments: Any, keywords: Any) -> None:
        """A step has been taken."""
        del arguments, keywords
        if self.now is None or self.now[0].optimizer is not optimizer:
            return
        (group, closure), self.now = self.now, None
        seen = self._seen
        if closure:
            self._closed(group, optimizers.evaluations(optimizer) - self.evaluated)
            self._look(group, optimizers.parameters(optimizer), optimizers.gradients(optimizer), optimizer)
        if self.samples:
            updates.after(self.samples, moving=optimizers.rate(optimizer) != 0)
            self.samples = []
            seen.name()
        if seen.zeroing.wanted(group):
            seen.zeroing.stepped(group, optimizers.parameters(optimizer))
        seen.births.drop()
        seen.grown(group.steps)
        if seen.on_step is not None:
            seen.on_step({**group.told, "loss": self.loss, "lr": optimizers.rate(optimizer)})

    def inside(self) -> None:
        """A pass begins: inside a step, does the closure clear gradients before it adds to them?"""
        group, closure = self.now if self.now is not None else (None, False)
        if group is not None and closure and group.steps < ENOUGH and group.optimizer is not None:
            self.passes += 1
            self.emptied += empty(optimizers.parameters(group.optimizer))

    def _closed(self, group: Group, evaluated: int) -> None:
        """A closure was evaluated so often; one that sets gradients without backward() clears them in doing so."""
        if self.passes >= evaluated > 1 and group.steps < ENOUGH:
            group.evaluations += evaluated
            group.emptied += min(self.emptied, evaluated)

    def _look(
        self, group: Group, params: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor | None], optimizer: Any
    ) -> None:
        if self._seen.examining.look(group, params, gradients, optimizer):
            self._seen.births.in_backward(group.steps)

    def clipped(self, gradients: Sequence[torch.Tensor], norm: torch.Tensor | None) -> None:
        """Gradients are about to be clipped, by this norm or by value."""
        seen = self._seen
        for group in seen.book.here():
            optimizer = group.optimizer
            if optimizer is None or not any(one is gradients[0] for one in optimizers.gradients(optimizer)):
                continue
            if norm is not None and norm.device.type == "cpu" and not math.isfinite(float(norm)):
                group.clip_bad, group.next = float(norm), 0
            scale = seen.scalers.scale()
            if seen.scalers.scaled(optimizer) and scale != 1.0:
                group.clip_ready, group.next = scale or math.nan, 0
