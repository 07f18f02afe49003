"""What is done at each event of a training: backward begins or ends, an optimizer is made, steps, has stepped."""

from __future__ import annotations

import math
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from gradcli.training.watching import clipping, optimizers, updates
from gradcli.training.watching.births import Births
from gradcli.training.watching.examining import Examining
from gradcli.training.watching.graph import Walk, roots, walk
from gradcli.training.watching.holding import Holding
from gradcli.training.watching.lines import Lines
from gradcli.training.watching.names import Names
from gradcli.training.watching.records import Book, Group
from gradcli.training.watching.scaler import Scalers
from gradcli.training.watching.schedule import Schedule
from gradcli.training.watching.statistics import plain
from gradcli.training.watching.zeroing import ENOUGH, ByHand, Zeroing, empty

WALKS = 2  # first backward passes whose graph is walked

Guard = Callable[[Callable[..., Any]], Callable[..., Any]]


class _Stepping(threading.local):
    """The step that is under way in a thread: its loss and optimizer, whether by a closure, what is compared after."""

    loss: float | None = None
    optimizer: weakref.ref[Any] | None = None
    closure = False
    evaluated = 0  # closures before it
    passes = 0  # inside it
    emptied = 0  # of these, the ones that began with cleared gradients
    samples: Sequence[updates.Sample] = ()


class Events:
    """Everything that was seen, and what to do at each event."""

    def __init__(self, names: Names, schedule: Schedule, on_step: Callable[[dict[str, Any]], None] | None) -> None:
        self.names, self.schedule, self.on_step = names, schedule, on_step
        self.book, self.scalers, self.lines = Book(), Scalers(), Lines()
        self.zeroing, self.by_hand, self.holding = Zeroing(), ByHand(), Holding()
        self.births = Births(self.lines, schedule)
        self.examining = Examining(schedule, self.scalers, names.stale)
        self.backwards = 0
        self.blind = False  # torch does not let runs of its engine be seen
        # Runs inside torch.func, under a dispatch mode of the script's, and of torch.autograd.grad().
        self.hidden = {"transform": 0, "mode": 0, "grad": 0}
        self.bad_loss: int | None = None  # the first step where the loss was not finite
        self.bad_stepped = False  # an optimizer stepped after such a loss
        self._made: list[tuple[weakref.ref[Any], int]] = []
        self._walked = 0
        self._walk_due = 0
        self._stepping = _Stepping()
        self._look_next = 5

    def install(self, guard: Guard) -> Iterator[Callable[[], None]]:
        """Install what looks at scaling, clipping and lines."""
        yield self.scalers.install()
        yield clipping.install(guard(self.clipped))
        yield _notice_hooks(self._saw_hooks)
        self.lines.start()
        yield self.lines.end
        yield self.lines.stop

    def _saw_hooks(self) -> None:
        self.births.unpacking = True

    # Backward

    def entered(self, outputs: Any, accumulates: bool) -> Callable[[], None] | None:
        """A run of the engine is about to begin; returns what is to be done when it ends."""
        self.lines.stop()
        for one in outputs:
            if isinstance(one, torch.Tensor) and not plain(one):
                return None
        outer = _outermost()
        bad = outer and self._not_finite(outputs)
        if not accumulates:
            self.hidden["grad"] += outer
            return None
        if outer:
            self._passing(outputs)
        if bad and self.bad_loss is None:
            self.bad_loss = self._step()
        found = walk(outputs) if self._walk_now() or (bad and self.births.wanted) else None
        if found is not None:
            self._read(found)
            if bad:
                self.births.in_forward(found, self._step(), self._called)
        self.births.keep(outputs, found)
        return self._left if outer and (self.book.free.records or not self.book.groups) else None

    def _passing(self, outputs: Any) -> None:
        """A pass that adds to .grad begins: what did the script do since the last one?"""
        self.backwards += 1
        if self._made:
            self._adopt()
        self.zeroing.entered()
        for group in self.book.here():
            group.backwards += 1
        self._in_closure()
        if not self.book.groups and self.book.free.here:
            self.by_hand.entered(self.book.free)
        for node in roots(outputs):
            self.holding.began(node)
            break

    def _in_closure(self) -> None:
        """A pass inside a step: does the closure clear gradients before it adds to them?"""
        under_way = self._stepping
        optimizer = under_way.optimizer() if under_way.optimizer is not None and under_way.closure else None
        if optimizer is not None and self.book.group(optimizer).steps < ENOUGH:
            under_way.passes += 1
            under_way.emptied += empty(optimizers.parameters(optimizer))

    def _walk_now(self) -> bool:
        if self._walked >= WALKS and self.backwards < self._walk_due:
            return False
        if self.backwards >= self._walk_due:
            self._walk_due = self.schedule.after(self.backwards)
        self._walked += 1
        return True

    def _not_finite(self, outputs: Any) -> bool:
        """Whether the loss is NaN or infinite; a loss on a GPU is not waited for."""
        one = outputs[0] if len(outputs) == 1 else None
        if not isinstance(one, torch.Tensor) or one.numel() != 1 or one.device.type != "cpu" or one.is_complex():
            return False
        self._stepping.loss = loss = float(one.detach())
        return not math.isfinite(loss)

    def _read(self, found: Walk) -> None:
        """Take from a graph what is to be remembered of it."""
        self.lines.learn(found)
        for leaf in found.leaves:
            if not plain(leaf.tensor):
                continue
            record = self.book.record(leaf.tensor)
            record.reached += 1
            record.order, record.use, record.gate, record.rows = leaf.order, leaf.use, leaf.gate, leaf.rows
            if record.optimizer is None:
                self.book.keep(record)

    def _called(self, leaf: torch.Tensor) -> str:
        if self.names.name(leaf) is None:
            self.names.learn()
        return self.names.name(leaf) or "an input"

    def _step(self) -> int:
        """The step that is under way, counted from 1."""
        steps = [group.steps for group in self.book.here()]
        return max(steps, default=self.backwards - 1) + 1

    def _left(self) -> None:
        """A run of the engine has ended, well or not."""
        self._look_free()
        if not self.book.groups:
            self.births.drop()
            self._grown(self.book.free.steps)

    def _look_free(self) -> None:
        """Leaves that no optimizer holds are looked at after each backward pass, which is a step of theirs."""
        group = self.book.free
        if not group.here:
            return
        group.records = [one for one in group.records if one.optimizer is None and one.ref() is not None]
        if self.book.groups and not any(one.parameter for one in group.records):
            return
        if not self.book.groups and group.steps < 2:
            self._adopt_models()
        params = [one.ref() for one in group.records]
        held = [(record, p) for record, p in zip(group.records, params, strict=True) if p is not None]
        group.backwards += 1
        if not self.book.groups:
            self.by_hand.left(group, [p for _, p in held])
        if self.examining.look(group, [record for record, _ in held], [p for _, p in held]):
            self.births.in_backward(self._step() - (not self.book.groups))

    def _adopt_models(self) -> None:
        """Without an optimizer, all parameters of models that were made in this run are waited for."""
        for module in self.names.models():
            for parameter in module._parameters.values():
                if parameter is not None and parameter.requires_grad:
                    record = self.book.record(parameter)
                    if record.optimizer is None:
                        self.book.keep(record)

    # Optimizers

    def made(self, optimizer: Any) -> None:
        """An optimizer was made; its parameters follow."""
        self._made.append((weakref.ref(optimizer), threading.get_ident()))

    def _adopt(self) -> None:
        """Take the parameters of new optimizers."""
        made, self._made = self._made, []
        for ref, thread in made:
            one = ref()
            if one is not None and getattr(one, "param_groups", None):
                group = self.book.group(one)
                group.thread = thread
                self.book.hold(group, optimizers.parameters(one))

    def before(self, optimizer: Any, arguments: Any, keywords: Any) -> None:
        """A step is about to begin."""
        self._adopt()
        params = optimizers.parameters(optimizer)
        if self._within_another(optimizer, params):
            return
        closure = optimizers.closed(arguments, keywords)
        self._stepping.optimizer, self._stepping.closure = weakref.ref(optimizer), closure
        if closure:
            self._stepping.evaluated = optimizers.evaluations(optimizer)
            self._stepping.passes = self._stepping.emptied = 0
        group = self.book.group(optimizer)
        group.thread = threading.get_ident()
        self.bad_stepped |= not math.isfinite(self._stepping.loss or 0.0)
        if group.steps + 1 >= group.due or len(params) != len(group.ids) or group.steps < 3:
            self.book.hold(group, params)
        detail = group.steps + 1 >= group.due
        if not closure:
            self.zeroing.stepping(group)
            self._look(group, params, optimizer)
        self._stepping.samples = updates.before(group.records, params) if detail else ()

    def _within_another(self, optimizer: Any, params: Sequence[torch.Tensor]) -> bool:
        """Whether an optimizer steps inside the step of another that holds the same parameters."""
        outer = None if self._stepping.optimizer is None else self._stepping.optimizer()
        if outer is None or outer is optimizer:
            return False
        return not {id(one) for one in params}.isdisjoint(map(id, optimizers.parameters(outer)))

    def after(self, optimizer: Any, arguments: Any, keywords: Any) -> None:
        """A step has been taken."""
        del arguments, keywords
        under_way = self._stepping
        if under_way.optimizer is None or under_way.optimizer() is not optimizer:
            return
        under_way.optimizer = None
        group = self.book.group(optimizer)
        if under_way.closure:
            evaluated = optimizers.evaluations(optimizer) - under_way.evaluated
            if under_way.passes >= evaluated > 1 and group.steps < ENOUGH:
                group.evaluations += evaluated
                group.emptied += min(under_way.emptied, evaluated)
            self._look(group, optimizers.parameters(optimizer), optimizer)
        if under_way.samples:
            updates.after(under_way.samples, moving=optimizers.rate(optimizer) != 0)
            under_way.samples = ()
            self._name()
        if self.zeroing.wanted(group):
            self.zeroing.stepped(group, optimizers.parameters(optimizer))
        self.births.drop()
        self._grown(group.steps)
        if self.on_step is not None:
            self.on_step({**group.told, "loss": under_way.loss, "lr": optimizers.rate(optimizer)})

    def _look(self, group: Group, params: Sequence[torch.Tensor], optimizer: Any) -> None:
        if self.examining.look(group, group.records, params, optimizer):
            self.births.in_backward(group.steps)

    def clipped(self, gradients: Sequence[torch.Tensor], norm: torch.Tensor | None) -> None:
        """Gradients are about to be clipped, by this norm or by value."""
        for group in self.book.here():
            optimizer = group.ref() if group.ref is not None else None
            if optimizer is None or not any(one.grad is gradients[0] for one in optimizers.parameters(optimizer)):
                continue
            if norm is not None and norm.device.type == "cpu" and not math.isfinite(float(norm)):
                group.clip_bad = float(norm)
            scale = self.scalers.scale()
            if self.scalers.scaled(optimizer) and scale != 1.0:
                group.clip_ready = scale or math.nan

    # Variables

    def _name(self) -> None:
        """Name what has no name yet, while the script's variables and models are there."""
        if any(one.name is None for one in self.book.all):
            self.names.learn()
            for record in self.book.all:
                leaf = record.ref()
                if leaf is not None and record.stale and record.name is None:
                    record.name = self.names.former(leaf)
                elif leaf is not None and (name := self.names.name(leaf)) is not None:
                    record.name, record.rank = name, self.names.rank(leaf)

    def _grown(self, steps: int) -> None:
        if steps >= self._look_next:
            self._look_next *= 2
            self.holding.look(self.names.variables())

    def finish(self) -> None:
        """The last look, while the script's variables are still there."""
        self.births.drop()
        self.scalers.read()
        self._adopt()
        self._name()
        self.holding.look(self.names.variables())
        for record in self.book.all:
            leaf = record.ref()
            if leaf is None:
                record.passing = record.reached < 2 <= self._walked
            else:
                record.requires_grad = leaf.requires_grad


def _outermost() -> bool:
    """Whether no backward pass is under way in this thread; a reentrant checkpoint runs one inside another."""
    current = getattr(torch._C, "_current_autograd_node", None)
    return current is None or current() is None


def _notice_hooks(seen: Callable[[], None]) -> Callable[[], None]:
    """Tell when saved tensors are packed by hooks: unpacking them would run the script's own code again."""
    from torch.autograd.graph import saved_tensors_hooks

    enter = saved_tensors_hooks.__enter__

    def entering(self: Any) -> Any:
        seen()
        return enter(self)

    saved_tensors_hooks.__enter__ = entering  # type: ignore[method-assign]

    def remove() -> None:
        if saved_tensors_hooks.__enter__ is entering:
            saved_tensors_hooks.__enter__ = enter  # type: ignore[method-assign]

    return remove
