"""One evaluation with autograd recording: the leaves it began with, those that the text made, and the outputs."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple

import torch

from gradcli.engine.evaluate import Settings, Swap, Watch, run
from gradcli.engine.inputs import make_tensor
from gradcli.engine.memory import Room
from gradcli.engine.operations import brief, described, operand_value
from gradcli.engine.seeding import seed as seed_all
from gradcli.engine.sizing import admit_answer
from gradcli.errors import GradcliError, Span
from gradcli.language.program import Bind, Output, Program
from gradcli.language.values import Given


class Request(NamedTuple):
    """What to evaluate: a program, a value for each input, and how."""

    program: Program
    given: tuple[Given, ...]
    origins: Mapping[str, str]
    settings: Settings
    dtype: torch.dtype | None = None
    mode: str = "grad"
    seed: int = 0
    backward: bool = True
    reduce: str = "sum"
    upstream: Given | None = None
    wrt: frozenset[str] | None = None
    asked_grads: tuple[tuple[str, Span], ...] = ()
    asks: str = "grad"  # or the whole derivative that is asked for: jacobian, hessian, jvp
    notes: bool | str = False  # whether to look at steps for diagnosis; "facts": no proof about numbers
    verify: bool | None = False  # prove what nothing pointed to: never, always, or (None) for small answers
    swept: tuple[str, ...] = ()  # the inputs that a sweep goes over


# Warnings that say nothing here: numpy is not needed, and a copy that drops the graph has a diagnosis of its own.
_SAID = re.compile(r"Initializ|To copy construct from a tensor|Converting a tensor with requires_grad")
_COMMA = "a comma makes several answers; a decimal point is written as a point: 5.0"

_NOTHING = nullcontext()

Label = tuple[str | None, str, Span]


class Recording(NamedTuple):
    """What one evaluation left: live tensors, each output with its name, what a table calls it, and its columns."""

    leaves: dict[str, torch.Tensor]
    made: dict[str, torch.Tensor]
    results: tuple[torch.Tensor, ...]
    labels: list[Label]
    upstream: torch.Tensor | None


def record(
    request: Request,
    leaves: dict[str, torch.Tensor],
    upstream: torch.Tensor | None,
    watch: Watch | None = None,
    swap: Swap | None = None,
) -> Recording:
    """Evaluate a request from these leaves. `watch` sees every value as it is made, `swap` may put others in place.

    Raises GradcliError of kind value where an output is no tensor, and what the steps raise.
    """
    program = request.program
    bound = {index: step.name for index, step in enumerate(program.steps) if isinstance(step, Bind) and step.name}
    inside = _Inside(bound, watch, leaves) if bound else None
    values = run(program, leaves, request.settings, request.mode, inside or watch, swap)
    results, labels = outputs_of(program, values)
    admit_answer((*results, *leaves.values()), program.outputs[0].span, Room(request.settings.memory))
    if program.upstream is not None and request.backward:
        upstream = operand_value(program.upstream, values)
    return Recording(leaves, inside.leaves if inside else {}, results, labels, upstream)


def make_upstream(request: Request) -> torch.Tensor | None:
    """The gradient that was given to go back with, drawn after the inputs."""
    return make_tensor(request.upstream, request.dtype, request.settings, False) if request.upstream else None


def make_leaves(request: Request) -> dict[str, torch.Tensor]:
    """The tensors of all inputs, made in the order of the call."""
    return {one.name: _leaf(one, request) for one in request.given}


def _leaf(given: Given, request: Request) -> torch.Tensor:
    tensor = make_tensor(given, request.dtype, request.settings, request.program.writes)
    if request.wrt is not None and given.name not in request.wrt:
        tensor = tensor.detach()
    return tensor


class _Inside:
    """Watches for leaves that the text makes for itself: `A = torch.tensor([5.0], requires_grad=True)`."""

    def __init__(self, bound: dict[int, str], further: Watch | None, given: dict[str, torch.Tensor]) -> None:
        self.bound = bound
        self.further = further
        self.known = {id(one) for one in given.values()}
        self.leaves: dict[str, torch.Tensor] = {}

    def __call__(self, index: int, value: Any) -> None:
        name = self.bound.get(index)
        if (
            name
            and isinstance(value, torch.Tensor)
            and value.requires_grad
            and is_leaf(value)
            and id(value) not in self.known
        ):
            self.known.add(id(value))  # a further name for it is not another leaf
            self.leaves[name] = value
        if self.further is not None:
            self.further(index, value)


def is_leaf(tensor: torch.Tensor) -> bool:
    """Whether a tensor is a leaf of its own: not one of the views that torch calls leaves where gradients are off.

    torch does not even say of such a view once it was written to.
    """
    try:
        return tensor.is_leaf and not (tensor._is_view() and tensor._base is not None and tensor._base.requires_grad)
    except RuntimeError:
        return False


def leads_back(tensor: torch.Tensor) -> bool:
    """Whether backward would go on from here: torch also says requires_grad of views made where gradients are off."""
    try:
        return tensor.requires_grad and (is_leaf(tensor) or tensor.grad_fn is not None)
    except RuntimeError:
        return False


def outputs_of(program: Program, values: list[Any]) -> tuple[tuple[torch.Tensor, ...], list[Label]]:
    """The output tensors, with the name, the label and the columns of each."""
    results: list[torch.Tensor] = []
    labels: list[Label] = []
    for output in program.outputs:
        value = operand_value(output.operand, values)
        label = label_of(program, output)
        if isinstance(value, torch.Tensor):
            results.append(value)
            labels.append((output.name, label, output.span))
        elif isinstance(value, (tuple, list)) and value and all(isinstance(one, torch.Tensor) for one in value):
            results += value
            fields = getattr(type(value), "_fields", None) or _structseq_fields(value)
            labels += [(None, f"{label}{part}", output.span) for part in fields]
        else:
            several = len(program.outputs) > 1 and isinstance(value, (int, float))
            hint = _COMMA if several else "the answer has to be a tensor: use an input, such as A"
            raise GradcliError(
                "value",
                f"the answer is {brief(value)}, {described(value)}",
                source=program.source,
                span=output.span,
                hint=hint,
            )
    return tuple(results), labels


def label_of(program: Program, output: Output) -> str:
    """What a table calls an output: its name, or its text."""
    return output.name or _on_one_line(program.source, output.span.start, output.span.end)


@lru_cache(maxsize=1024)
def _on_one_line(source: str, start: int, end: int) -> str:
    return " ".join(source[start:end].split())


def _structseq_fields(value: Any) -> list[str]:
    """`.values`, `.indices` for torch's named tuples; `[0]`, `[1]` for plain ones."""
    names = [name for name in dir(type(value)) if not name.startswith(("_", "n_")) and name not in {"count", "index"}]
    places = {id(getattr(value, name)): f".{name}" for name in names}
    return [places.get(id(one), f"[{index}]") for index, one in enumerate(value)]


def records() -> bool:
    """Whether the caller's own modes let autograd record, and say nothing of what it does."""
    return torch.is_grad_enabled() and not torch.is_inference_mode_enabled() and not torch.is_anomaly_enabled()


def recordable() -> AbstractContextManager[Any]:
    """Outside the caller's inference mode and no_grad, in which nothing is recorded."""
    if torch.is_inference_mode_enabled():
        return torch.inference_mode(False)
    return _NOTHING if torch.is_grad_enabled() else torch.enable_grad()


class quiet(warnings.catch_warnings):
    """Collect torch's warnings, which become notes instead of lines on stderr.

    torch says much once in a process; here each time, so that the same question has the same answer.
    """

    listening, once = 0, False
    lock = Lock()

    def __init__(self) -> None:
        super().__init__(record=True, action="always")

    def __enter__(self) -> Any:
        with quiet.lock:
            if not quiet.listening:
                quiet.once = not torch.is_warn_always_enabled()
                torch.set_warn_always(True)
            quiet.listening += 1
        return super().__enter__()

    def __exit__(self, *left: Any) -> None:
        super().__exit__(*left)
        with quiet.lock:
            quiet.listening -= 1
            if not quiet.listening and quiet.once:
                torch.set_warn_always(False)


def texts(seen: list[warnings.WarningMessage] | None) -> tuple[str, ...]:
    """What warnings said, each once, but that numpy is absent."""
    if not seen:
        return ()
    said = (" ".join(str(one.message).split()) for one in seen)
    return tuple(dict.fromkeys(text for text in said if not _SAID.search(text)))


def draws(request: Request) -> bool:
    """Whether the values or the text draw random numbers."""
    values = request.given if request.upstream is None else (*request.given, request.upstream)
    for one in values:
        if isinstance(one.data, Program) and one.data.random:
            return True
    return request.program.random


def seeded(request: Request) -> AbstractContextManager[None]:
    """Seed the random numbers of an evaluation that draws some, and leave the caller's generators as they were."""
    return drawing(request.seed) if draws(request) else _NOTHING


@contextmanager
def drawing(seed: int) -> Iterator[None]:
    """A while with generators of its own, seeded."""
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_available() else []
    with torch.random.fork_rng(devices=devices):
        seed_all(seed)
        yield
