"""All that was seen of a training, and the events by which it is: those of its passes and those of its steps."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch

from gradcli.training.watching import clipping, optimizers
from gradcli.training.watching.births import Births
from gradcli.training.watching.book import Book
from gradcli.training.watching.examining import Examining
from gradcli.training.watching.holding import Holding
from gradcli.training.watching.lines import Lines
from gradcli.training.watching.names import Names
from gradcli.training.watching.passing import Passing
from gradcli.training.watching.scaler import Scalers
from gradcli.training.watching.schedule import Schedule
from gradcli.training.watching.stepping import Stepping
from gradcli.training.watching.zeroing import ByHand, Zeroing

Guard = Callable[[Callable[..., Any]], Callable[..., Any]]


class Events:
    """Everything that was seen; `passing` and `stepping` add to it."""

    def __init__(self, names: Names, schedule: Schedule, on_step: Callable[[dict[str, Any]], None] | None) -> None:
        self.names, self.schedule, self.on_step = names, schedule, on_step
        self.book, self.scalers, self.lines = Book(), Scalers(), Lines()
        self.zeroing, self.by_hand, self.holding = Zeroing(), ByHand(), Holding()
        self.births = Births(self.lines, schedule)
        self.examining = Examining(schedule, self.scalers, names.stale)
        self.backwards = 0
        self.leaves = 0  # graphs that were walked and held nothing: the pass began at a leaf and ended there
        self.blind = False  # torch does not let runs of its engine be seen
        # Runs inside torch.func, under a dispatch mode of the script's, and of torch.autograd.grad().
        self.hidden = {"transform": 0, "mode": 0, "grad": 0}
        self.bad_loss: int | None = None  # the first step where the loss was not finite
        self.bad_stepped = False  # an optimizer stepped after such a loss
        self.fresh: list[tuple[weakref.ref[Any], int]] = []  # optimizers that were made a moment ago, in which thread
        self.passing, self.stepping = Passing(self), Stepping(self)
        self.look_next = 5

    def install(self, guard: Guard) -> Iterator[Callable[[], None]]:
        """Install what looks at scaling, clipping and lines."""
        yield self.scalers.install()
        yield clipping.install(guard(self.stepping.clipped))
        yield _notice_hooks(self._saw_hooks)
        self.lines.start()
        yield self.lines.end
        yield self.lines.stop

    def _saw_hooks(self) -> None:
        self.births.unpacking = True

    def made(self, optimizer: Any) -> None:
        """An optimizer was made; its parameters follow."""
        self.fresh.append((weakref.ref(optimizer), threading.get_ident()))

    def adopt(self) -> None:
        """Take the parameters of new optimizers."""
        fresh, self.fresh = self.fresh, []
        for ref, thread in fresh:
            one = ref()
            if one is not None and getattr(one, "param_groups", None):
                group = self.book.group(one)
                group.thread = thread
                self.book.hold(group, optimizers.parameters(one))

    def step(self) -> int:
        """The step that is under way, counted from 1."""
        steps = [group.steps for group in self.book.here()]
        return max(steps, default=self.backwards - 1) + 1

    def name(self) -> None:
        """Name what has no name yet, while the script's variables and models are there."""
        if any(one.name is None for one in self.book.all):
            self.names.learn()
            for record in self.book.all:
                leaf = record.ref()
                if leaf is not None and record.stale and record.name is None:
                    record.name = self.names.former(leaf)
                elif leaf is not None and (name := self.names.name(leaf)) is not None:
                    record.name, record.rank = name, self.names.rank(leaf)

    def grown(self, steps: int) -> None:
        """So many steps have been taken: from time to time, see what variables hold."""
        if steps >= self.look_next:
            self.look_next *= 2
            self.holding.look(self.names.variables())

    def finish(self) -> None:
        """The last look, while the script's variables are still there."""
        self.births.drop()
        self.scalers.read()
        self.adopt()
        self.name()
        self.holding.look(self.names.variables())
        for record in self.book.all:
            leaf = record.ref()
            if leaf is None:
                record.passing = record.reached < 2 <= self.passing.walked
            else:
                record.requires_grad = leaf.requires_grad


def _notice_hooks(seen: Callable[[], None]) -> Callable[[], None]:
    """Tell when saved tensors are packed by hooks: unpacking them would run the script's own code again."""
    kind = torch.autograd.graph.saved_tensors_hooks
    enter = kind.__enter__

    def entering(self: Any) -> Any:
        seen()
        return enter(self)

    kind.__enter__ = entering  # type: ignore[method-assign]

    def remove() -> None:
        if kind.__enter__ is entering:
            kind.__enter__ = enter  # type: ignore[method-assign]

    return remove
