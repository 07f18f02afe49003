"""What is done when a run of autograd's engine begins and ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from gradcli.training.watching.birth import written
from gradcli.training.watching.graph import Walk, kind, walk
from gradcli.training.watching.records import Record
from gradcli.training.watching.statistics import dense, plain
from gradcli.training.watching.zeroing import SMALL

if TYPE_CHECKING:
    from gradcli.training.watching.events import Events

FLAT = ("Round", "Sign", "Sgn", "Floor", "Ceil", "Trunc")
WALKS = 2  # first backward passes whose graph is walked
CURRENT: Callable[[], Any] = getattr(torch._C, "_current_autograd_node", lambda: None)


class Passing:
    """The events of backward passes."""

    def __init__(self, events: Events) -> None:
        self.walked = 0
        self.flat: dict[str, None] = {}  # operations on the way whose derivative is 0 everywhere
        self._seen = events
        self.due = 0

    def entered(self, outputs: Any, accumulates: bool) -> Callable[[], None] | None:
        """A run of the engine is about to begin; returns what is to be done when it ends."""
        seen = self._seen
        if seen.lines.on:
            seen.lines.stop()
        for one in outputs:
            if isinstance(one, torch.Tensor) and not plain(one):
                return None
        outer = CURRENT() is None  # a reentrant checkpoint runs one pass inside another of its thread
        bad = outer and self._not_finite(outputs)
        if not accumulates:
            seen.hidden["grad"] += outer
            return None
        if outer:
            self._began(outputs)
        if bad:
            self._bad()
        found = walk(outputs) if self._walk_now() or (bad and seen.births.wanted) else None
        if found is not None:
            seen.leaves += not found.nodes
            self._read(found)
            if bad:
                seen.births.in_forward(found, seen.step(), self._called)
        seen.births.keep(outputs, found)
        return self._left if outer and (seen.book.free.records or not seen.book.groups) else None

    def _not_finite(self, outputs: Any) -> bool:
        """Whether the loss is NaN or infinite; a loss on a GPU is not waited for."""
        one = outputs[0] if len(outputs) == 1 else None
        if not isinstance(one, torch.Tensor) or not one.is_cpu or one.numel() != 1 or one.is_complex():
            return False
        self._seen.stepping.loss = loss = float(one.item())
        return not math.isfinite(loss)

    def _bad(self) -> None:
        """The loss is not finite: is a step taken with what it gives?"""
        seen = self._seen
        seen.bad_loss = seen.bad_loss or seen.step()
        for group in seen.book.here():
            group.next = 0

    def _began(self, outputs: Any) -> None:
        """A pass that adds to .grad begins: what did the script do since the last one?"""
        seen = self._seen
        seen.backwards += 1
        if seen.fresh:
            seen.adopt()
        seen.zeroing.entered()
        for group in seen.book.here():
            group.backwards += 1
            group.clip_bad = None  # what was clipped then was left out: no step was taken with it
        seen.stepping.inside()
        if not seen.book.groups and seen.book.free.here:
            seen.by_hand.entered(seen.book.free)
        seen.holding.began(outputs)

    def _walk_now(self) -> bool:
        backwards = self._seen.backwards
        if self.walked >= WALKS and backwards < self.due:
            return False
        if backwards >= self.due:
            self.due = self._seen.schedule.after(backwards)
        self.walked += 1
        return True

    def _read(self, found: Walk) -> None:
        """Take from a graph what is to be remembered of it."""
        book = self._seen.book
        self._seen.lines.learn(found)
        self.flat.update((written(node), None) for node in found.nodes if kind(node) in FLAT)
        for leaf in found.leaves:
            if not plain(leaf.tensor):
                continue
            record = book.record(leaf.tensor)
            record.reached += 1
            record.order, record.use, record.gate, record.rows = leaf.order, leaf.use, leaf.gate, leaf.rows
            record.normed = leaf.normed
            if not record.parameter:
                self._again(record, leaf.tensor)
            if record.optimizer is None:
                book.keep(record)

    def _again(self, record: Record, leaf: torch.Tensor) -> None:
        """A plain tensor is reached: has the script moved it, and does it still hold what the step before gave it?"""
        step = self._seen.step()
        now = float(leaf.detach().double().sum()) if leaf.numel() <= SMALL and not leaf.is_complex() else 0.0
        record.moved |= record.total is not None and record.total != now
        record.total = now
        if record.met and step > record.met:
            values = None if leaf.grad is None else dense(leaf.grad)
            left = values is not None and bool(values.any())
            record.kept, record.cleared = record.kept + left, record.cleared + (not left)
        record.met = step

    def _called(self, leaf: torch.Tensor) -> str:
        names = self._seen.names
        if names.name(leaf) is None:
            names.learn()
        return names.name(leaf) or "an input"

    def _left(self) -> None:
        """A run of the engine has ended, well or not."""
        seen = self._seen
        self._look_free()
        if not seen.book.groups:
            seen.births.drop()
            seen.grown(seen.book.free.steps)

    def _look_free(self) -> None:
        """Leaves that no optimizer holds are looked at after each backward pass, which is a step of theirs."""
        book = self._seen.book
        group = book.free
        if not group.here:
            return
        alone = not book.groups
        held = [(one, leaf) for one in group.records if one.optimizer is None and (leaf := one.ref()) is not None]
        group.records = [one for one, _ in held]
        if not alone and not any(one.parameter for one in group.records):
            return
        if alone and group.steps < 2:
            self._adopt_models()
            held = [(one, leaf) for one in group.records if (leaf := one.ref()) is not None]
        params = [leaf for _, leaf in held]
        group.backwards += 1
        if alone:
            self._seen.by_hand.left(group, params)
        if self._seen.examining.look(group, params, [one.grad for one in params]):
            self._seen.births.in_backward(self._seen.step() - alone)

    def _adopt_models(self) -> None:
        """Without an optimizer, all parameters of models that were made in this run are waited for."""
        book = self._seen.book
        for module in self._seen.names.models():
            for parameter in module._parameters.values():
                if parameter is not None and parameter.requires_grad:
                    record = book.record(parameter)
                    if record.optimizer is None:
                        book.keep(record)
