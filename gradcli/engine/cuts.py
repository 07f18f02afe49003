"""Where the path from an input to the output is cut, proved by evaluating again and watching every step.

A step cuts where an operand required grad when it was made, the result does not, and the result depends on the
operand's values (shown by replacing them): zeros_like(A) reads a shape, not A.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch

from gradcli.engine.defaults import tensors
from gradcli.engine.dependence import depends
from gradcli.engine.evaluate import run
from gradcli.engine.gradient import Outcome
from gradcli.engine.nodes import nodes
from gradcli.engine.recording import is_leaf, leads_back, make_leaves, quiet, seeded
from gradcli.errors import GradcliError
from gradcli.language.program import Bind, Call, Enter, Input, Leave, Program, Step, operands, references
from gradcli.language.signature import writes

Kind = Literal["mode", "number", "copy", "flat", "fresh", "silent"]


@dataclass(frozen=True, slots=True)
class Cut:
    """A step that cuts paths: why, the inputs on those paths, and what a message says of its result.

    `flagged`: torch still says that the result requires grad, as it does of views made where gradients are off.
    """

    kind: Kind
    step: Step
    inputs: tuple[str, ...]
    result: str
    flagged: bool = False


@dataclass(frozen=True, slots=True)
class _Birth:
    """What is known of a value when it was made."""

    value: Any
    required: bool


def reached(outcome: Outcome) -> set[str]:
    """The inputs whose accumulators the recorded graph leads to."""
    ids = {id(tensor): name for name, tensor in (*outcome.leaves.items(), *outcome.made.items())}
    variables = (id(getattr(node, "variable", None)) for node in nodes(outcome.results))
    found = {ids[one] for one in variables if one in ids}
    return found | {ids[id(one)] for one in outcome.results if id(one) in ids}


def find_cuts(outcome: Outcome, names: frozenset[str]) -> tuple[list[Cut], frozenset[str]]:
    """The steps that cut the paths from these inputs to the outputs, and the inputs that no path leads from."""
    with quiet():
        return _find(outcome, names)


def _find(outcome: Outcome, names: frozenset[str]) -> tuple[list[Cut], frozenset[str]]:
    program = outcome.request.program
    births = _watch(outcome)
    if births is None:
        return [], frozenset()
    sources = _sources(program, names, births)
    wanted = _ancestors(program)
    modes = _recording(program, outcome.request.mode)
    found: dict[int, Cut] = {}
    carried: set[str] = set()
    for index, step in enumerate(program.steps):
        if not isinstance(step, Call) or index not in wanted:
            continue
        read = [ref for operand in operands(step) for ref in references(operand)]
        live = [ref for ref in read if births[ref].required and sources[ref]]
        if not live or not _lost(births[index].value):
            continue
        inputs = tuple(name for name in outcome.inputs if any(name in sources[ref] for ref in live))
        if not depends(step, [birth.value for birth in births], live):
            continue
        carried |= set(inputs)
        value = births[index].value
        flagged = any(one.requires_grad for one in tensors(value))
        found[index] = Cut(_kind(step, births, index, modes[index], live), step, inputs, _described(value), flagged)
    silent = [one for name in sorted(names - carried) if (one := _silent(program, name, sources, births, wanted))]
    return [*found.values(), *silent], names - carried - {name for one in silent for name in one.inputs}


def _silent(
    program: Program, name: str, sources: list[frozenset[str]], births: list[_Birth], wanted: set[int]
) -> Cut | None:
    """The first step whose result goes on without an input that it depends on: a target that losses only compare."""
    values = [birth.value for birth in births]
    leaf = next((value for step, value in zip(program.steps, values, strict=True)
                 if isinstance(step, Input) and step.name == name), None)  # fmt: skip
    for index, step in enumerate(program.steps):
        if leaf is None or not isinstance(step, Call) or index not in wanted or _lost(values[index]):
            continue
        read = [ref for operand in operands(step) for ref in references(operand)]
        live = [ref for ref in read if births[ref].required and name in sources[ref]]
        if live and not _gives(leaf, values[index]):
            return Cut("silent", step, (name,), _described(values[index])) if depends(step, values, live) else None
    return None


def _gives(leaf: torch.Tensor, value: Any) -> bool:
    """Whether a backward pass from a value gives a leaf a gradient."""
    roots = [one.sum() for one in tensors(value) if one.requires_grad and one.is_floating_point()]
    try:
        (found,) = torch.autograd.grad(roots, leaf, [torch.ones_like(one) for one in roots], True, allow_unused=True)
    except Exception:
        return True  # torch refuses; nothing is shown by that
    return found is not None


def _watch(outcome: Outcome) -> list[_Birth] | None:
    request = outcome.request
    births = [_Birth(None, False)] * len(request.program.steps)

    def note(index: int, value: Any) -> None:
        births[index] = _Birth(value, any(leads_back(one) for one in tensors(value)))

    with seeded(request):
        fresh = make_leaves(request)
        try:
            run(request.program, fresh, request.settings, request.mode, note)
        except GradcliError:
            return None
    return births


def _sources(program: Program, names: frozenset[str], births: list[_Birth]) -> list[frozenset[str]]:
    """For each step, the inputs among `names` whose values flow into it."""
    sources: list[frozenset[str]] = []
    for step, birth in zip(program.steps, births, strict=True):
        own = names & {name} if (name := _input_name(step, birth)) else frozenset()
        read = (ref for operand in operands(step) for ref in references(operand))
        sources.append(own.union(*(sources[ref] for ref in read)))
    return sources


def _input_name(step: Step, birth: _Birth) -> str | None:
    """The name of an input where a step reads one, or gives its name to a leaf that the text makes."""
    if isinstance(step, Input):
        return step.name
    made = isinstance(step, Bind) and birth.required and isinstance(birth.value, torch.Tensor) and is_leaf(birth.value)
    return step.name if made else None  # type: ignore[union-attr]


def _ancestors(program: Program) -> set[int]:
    """The steps that an output reads, directly or not; a write makes its operands part of what it wrote to."""
    wanted = {ref for output in program.outputs for ref in references(output.operand)}
    for index in range(len(program.steps) - 1, -1, -1):
        step = program.steps[index]
        read = {ref for operand in operands(step) for ref in references(operand)}
        written = isinstance(step, Call) and writes(step.function, step.args, step.kwargs)
        if index in wanted or (written and read & wanted):
            wanted |= {index} | read
    return wanted


def _recording(program: Program, mode: str) -> list[bool]:
    """For each step, whether autograd was recording."""
    stack = [mode == "grad"]
    flags = []
    for step in program.steps:
        if isinstance(step, Enter):
            stack.append(_records(step, stack[-1]))
        elif isinstance(step, Leave):
            stack.pop()
        flags.append(stack[-1])
    return flags


def _records(step: Enter, before: bool) -> bool:
    """Whether autograd records inside a block."""
    if step.manager == "inference_mode" and step.flag is False:
        return before
    return bool(step.flag) if step.manager == "set_grad_enabled" else step.manager == "enable_grad"


def _lost(value: Any) -> bool:
    """Whether a result carries no gradient on: nothing in it requires grad, or it is a fresh leaf."""
    found = list(tensors(value))
    return not any(leads_back(one) and not is_leaf(one) for one in found)


def _kind(step: Call, births: list[_Birth], index: int, recording: bool, live: list[int]) -> Kind:
    if not recording:
        return "mode"
    value = births[index].value
    if not isinstance(value, torch.Tensor):
        return "number" if not list(tensors(value)) else "flat"
    if value.requires_grad and is_leaf(value):
        return "fresh"
    if not (value.is_floating_point() or value.is_complex()):
        return "flat"
    origin = [one for ref in live for one in tensors(births[ref].value)]
    if any(isinstance(births[ref].value, tuple) for ref in live):
        return "flat"
    same_memory = any(one.untyped_storage().data_ptr() == value.untyped_storage().data_ptr() for one in origin)
    return (
        "copy"
        if same_memory or step.function.makes or step.function.family == "conversion" or _copied(value, origin)
        else "flat"
    )


def _copied(value: torch.Tensor, origin: list[torch.Tensor]) -> bool:
    """Whether every number of a result is a number of its operands."""
    if value.numel() > 10_000 or sum(one.numel() for one in origin) > 10_000:
        return False
    pool = {complex(number) for one in origin for number in one.detach().reshape(-1).tolist()}
    return all(complex(number) in pool for number in value.reshape(-1).tolist())


def _described(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return str(value.dtype).removeprefix("torch.")
    return type(value).__name__
