"""A session of watching: hooks are installed, events written down, and a Health is made of them at the end.

Nothing that a hook does may reach the training: whatever goes wrong inside is caught, told once, and ends the watching.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, nullcontext
from typing import Any

import torch

from gradcli.health import Health
from gradcli.training.thresholds import chosen
from gradcli.training.watching import backward, optimizers, quiet
from gradcli.training.watching.events import Events
from gradcli.training.watching.names import Names
from gradcli.training.watching.schedule import Schedule
from gradcli.training.watching.variables import Variables

Step = Callable[[dict[str, Any]], None]


class Session:
    """Watches every training of this process from begin() to end().

    Args:
        every: take norms at every so many steps; None: at first at each, then as time allows.
        thorough: take norms and all details at each step.
        all: health() reports every parameter, with none folded away.
        thresholds: numbers in place of those in thresholds.TABLE, by name.
        on_step: called with a plain dictionary after each step of an optimizer.
        models, optimizers: those that exist already.
        on_backward: called with the outputs before each run of the engine, and whether it adds to `.grad`.
    """

    def __init__(
        self, *, every: int | None = None, thorough: bool = False, all: bool = False,
        thresholds: Mapping[str, float] | None = None, on_step: Step | None = None,
        models: Iterable[torch.nn.Module] = (), optimizers: Iterable[Any] = (),
        on_backward: Callable[[Any, bool], None] | None = None,
    ) -> None:  # fmt: skip
        if every is not None and every < 1:
            raise ValueError(f"every is {every}: it counts steps, and must be at least 1")
        self.all = all
        self.failure: str | None = None
        self._thresholds = chosen(thresholds)
        self._options = (every, thorough)
        self._on_step = on_step
        self._on_backward = on_backward
        self._models, self._optimizers = tuple(models), tuple(optimizers)
        self._events: Events | None = None
        self._modes, self._transforms = _asked("_len_torch_dispatch_stack"), _asked("_are_functorch_transforms_active")
        self._undo = ExitStack()
        self._watching = False

    def begin(self, names: Variables | None = None) -> None:
        """Install the hooks; torch has been imported. `names` gives the script's variables when it is called."""
        known = Names(names, self._models)
        self._events = events = Events(known, Schedule(*self._options), self._on_step)
        self._watching = True
        self._undo.callback(known.install())
        for remove in events.install(self._guarded):
            self._undo.callback(remove)
        engine = backward.install(self._entry(events))
        if engine is not None:
            self._undo.callback(engine)
        events.blind = engine is None
        self._undo.callback(
            optimizers.install(
                quiet.before(events, self._guarded(events.stepping.before), self._loud()),
                quiet.after(events, self._guarded(events.stepping.after)),
                self._guarded(events.made),
            )
        )
        for one in self._optimizers:
            events.made(one)

    def end(self) -> None:
        """Remove everything. What was seen stays for health()."""
        if self._watching and self._events is not None:
            self._guarded(self._events.finish)()
        self._watching = False
        self._undo.close()

    def health(self) -> Health:
        """What was seen so far."""
        from gradcli.training.judging import judged

        if self._watching and self._events is not None:
            self._guarded(self._events.finish)()
        return judged(self._events, self._thresholds, self.failure)

    def name(self, tensor: torch.Tensor) -> str | None:
        """What named_parameters() of the script's models calls a tensor; None where it is not known."""
        if self._events is None:
            return None
        if self._events.names.name(tensor) is None:
            self._events.names.learn()
        return self._events.names.name(tensor)

    def _entry(self, events: Events) -> backward.Entry:
        """What is done before each run of the engine; it returns what is done after it."""
        told = None if self._on_backward is None else self._guarded(self._on_backward)
        entered = quiet.passing(events, self._guarded(events.passing.entered, self._hidden), self._loud())

        def entry(outputs: Any, accumulates: bool) -> Callable[[], None] | None:
            if told is not None:
                told(outputs, accumulates)
            leave = entered(outputs, accumulates)
            return None if leave is None else self._guarded(leave)

        return entry

    def _hidden(self) -> None:
        """A run of the engine cannot be looked at: why?"""
        if self._watching and self._events is not None:
            self._events.hidden["transform"] += self._transforms() > 0
            self._events.hidden["mode"] += self._modes() > 0

    def _guarded(self, event: Callable[..., Any], hidden: Callable[[], None] = lambda: None) -> Callable[..., Any]:
        """An event that cannot raise, records no graph, and calls no `__torch_function__` of the script's; what is
        done in its place where tensors hold no numbers of the training.
        """

        busy, recording, switch, plainly = self._busy(), torch.is_grad_enabled, _switch(), _plainly()

        def guarded(*arguments: Any) -> Any:
            if busy():
                return hidden()
            before = recording()
            with plainly():
                try:
                    switch(False)
                    return event(*arguments)
                except Exception as error:
                    self._fail(error)
                finally:
                    switch(before)

        return guarded

    def _busy(self) -> Callable[[], object]:
        """A question for every event: is watching over, or what tensors hold no numbers of the training, as while torch
        traces or transforms?
        """
        compiling, modes, transforms = torch.compiler.is_compiling, self._modes, self._transforms
        return lambda: not self._watching or compiling() or modes() or transforms()

    def _loud(self) -> Callable[[], object]:
        """The same question where no guard keeps calls of torch from function modes of the script's."""
        compiling, modes, transforms = torch.compiler.is_compiling, self._modes, self._transforms
        functions = _asked("_len_torch_function_stack")
        return lambda: not self._watching or compiling() or modes() or transforms() or functions()

    def _fail(self, error: Exception) -> None:
        trace, place = error.__traceback__, ""
        while trace is not None:
            place = f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
            trace = trace.tb_next
        self.failure = f"{type(error).__name__} at {place}: {str(error).partition(chr(10))[0][:200]}"
        self._watching = False  # the hooks go at the end: torch may be walking through them at this moment


def _asked(name: str) -> Callable[[], int]:
    """A private question to torch; always answered with no by one that does not know it."""
    found: Callable[[], int] = getattr(torch._C, name, lambda: 0)
    return found


def _plainly() -> Callable[[], Any]:
    """What keeps calls of torch from the script's own modes and subclasses, which may count or change them."""
    found: Callable[[], Any] = getattr(torch._C, "DisableTorchFunction", nullcontext)
    return found


def _switch() -> Callable[[bool], object]:
    """What switches gradients on and off, at the least cost that this torch has."""
    found: Callable[[bool], object] = getattr(torch._C, "_set_grad_enabled", torch.set_grad_enabled)
    return found
