"""The one loop that runs a program's steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch

from gradcli.engine.defaults import widened, with_defaults
from gradcli.engine.failures import step_failure
from gradcli.engine.forecast import forecast
from gradcli.engine.lists import admit_operator
from gradcli.engine.memory import Room
from gradcli.engine.operations import callable_of, operand_value
from gradcli.engine.seeding import seed
from gradcli.engine.sizing import admit
from gradcli.errors import GradcliError
from gradcli.language import numbers
from gradcli.language.program import Bind, Call, Enter, Input, Leave, Program, Seed
from gradcli.language.vocabulary.operators import SYMBOL_OF

MODES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "grad": torch.enable_grad,
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
}


class Settings(NamedTuple):
    """What holds for a whole evaluation. dtype None: torch's own default; memory None: a share of what is free."""

    dtype: torch.dtype | None = None
    device: torch.device | None = None
    memory: int | None = None


USUAL = Settings()

Watch = Callable[[int, Any], None]
Swap = Callable[[int, Any], Any]


def run(
    program: Program,
    inputs: Mapping[str, torch.Tensor],
    settings: Settings,
    mode: str = "grad",
    watch: Watch | None = None,
    swap: Swap | None = None,
) -> list[Any]:
    """The value of each step, those that nothing reads any more let go.

    `inputs` holds a tensor for each name of `program.inputs`. `watch(index, value)` sees every value as it is made;
    `swap(index, value)` gives the one to go on with.
    Raises GradcliError of kind torch (or bounds, autograd) under the step that failed.
    """
    room = Room(settings.memory)
    if program.grows:
        forecast(program, inputs, room)
    with mode_of(mode):
        return again(program, inputs, settings, watch, room, swap)


def again(
    program: Program,
    inputs: Mapping[str, torch.Tensor],
    settings: Settings,
    watch: Watch | None = None,
    room: Room | None = None,
    swap: Swap | None = None,
) -> list[Any]:
    """The steps alone, under the grad mode that holds: without `room` none is weighed, as for steps that ran before."""
    values: list[Any] = [None] * len(program.steps)
    with _Blocks() as blocks:
        for index, step in enumerate(program.steps):
            if isinstance(step, Enter):
                blocks.enter(_manager(step))
                continue
            if isinstance(step, Leave):
                blocks.leave()
                continue
            if isinstance(step, Seed):
                seed(step.number)
                continue
            value = value_of(program, index, values, inputs, settings, room)
            values[index] = value if swap is None else swap(index, value)
            if watch is not None:
                watch(index, values[index])
            for done in program.frees[index]:
                values[done] = None
    return values


def value_of(
    program: Program, index: int, values: list[Any], inputs: Mapping[str, torch.Tensor], settings: Settings,
    room: Room | None,
) -> Any:  # fmt: skip
    """The value of one step that has one, given those of the earlier steps."""
    step = program.steps[index]
    if isinstance(step, Call):
        return _call(step, values, settings, room)
    if isinstance(step, Input):
        return inputs[step.name]
    assert isinstance(step, Bind)
    return _bind(step, values, program)


_NOTHING = nullcontext()


def mode_of(mode: str) -> AbstractContextManager[Any]:
    """The grad mode of a whole evaluation, which is mostly on already."""
    return _NOTHING if mode == "grad" and torch.is_grad_enabled() else MODES[mode]()


class _Blocks:
    """The `with` blocks that are open: all of them are left, the innermost first, when an evaluation ends."""

    def __init__(self) -> None:
        self._open: list[AbstractContextManager[Any]] = []

    def __enter__(self) -> _Blocks:
        return self

    def __exit__(self, *_: object) -> None:
        while self._open:
            self.leave()

    def enter(self, manager: AbstractContextManager[Any]) -> None:
        manager.__enter__()
        self._open.append(manager)

    def leave(self) -> None:
        self._open.pop().__exit__(None, None, None)


def _call(step: Call, values: list[Any], settings: Settings, room: Room | None) -> Any:
    """The result of a step, with the dtype and device of the evaluation where torch would take its defaults."""
    try:
        args = [operand_value(operand, values) for operand in step.args]
        kwargs = {name: operand_value(operand, values) for name, operand in step.kwargs} if step.kwargs else {}
    except GradcliError as error:
        error.span = step.span
        raise
    if step.style in _OPERATING and not (step.style == "operator" and _on_tensors(args)):
        admit_operator(step, args)
        if step.style == "operator" and all(map(numbers.is_number, args)):
            return _on_numbers(step, args)
    defaults = settings.dtype is not None or settings.device is not None
    if defaults:
        kwargs = with_defaults(step, args, kwargs, settings.dtype, settings.device)
    if room is not None:
        admit(step, args, kwargs, room)
    try:
        function = callable_of(step)
        result = function(*args, **kwargs)
        return widened(step, function, args, kwargs, result, settings.dtype) if defaults else result
    except Exception as error:
        raise step_failure(step, args, kwargs, error) from error


_OPERATING = frozenset({"operator", "augment", "store"})
_NUMBERS = frozenset({torch.Tensor, int, float})


def _on_tensors(args: list[Any]) -> bool:
    """Whether operands are a tensor, and tensors or plain numbers beside it: what nearly all operators work on."""
    kinds = set(map(type, args))
    return torch.Tensor in kinds and kinds <= _NUMBERS


def _on_numbers(step: Call, args: list[Any]) -> Any:
    """Sizes and other numbers of the evaluation follow the bounds of numbers in the text."""
    try:
        if len(args) == 1:
            return numbers.fold_unary(SYMBOL_OF[step.function.name], args[0])
        return numbers.fold(step.function.name, args[0], args[1])
    except GradcliError as error:
        error.span = step.span
        raise


def _bind(step: Bind, values: list[Any], program: Program) -> Any:
    try:
        value = operand_value(step.operand, values)
    except GradcliError as error:
        error.span = step.span
        raise
    if step.part is None:
        return value
    count = len(value) if isinstance(value, (tuple, list)) or (isinstance(value, torch.Tensor) and value.dim()) else 0
    if count != step.parts:
        raise GradcliError(
            "value",
            f"{step.parts} names on the left, and {count:,} values on the right",
            source=program.source,
            span=step.span,
        )
    return tuple(value)[step.part]


def _manager(step: Enter) -> AbstractContextManager[Any]:
    if step.manager == "inference_mode":
        return torch.inference_mode(step.flag is not False)
    if step.manager == "set_grad_enabled":
        return torch.set_grad_enabled(bool(step.flag))
    return MODES[step.manager.replace("enable_grad", "grad")]()
