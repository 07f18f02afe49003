"""Where the path from an input to the output is cut, proved by evaluating again and watching every step.

A step cuts where an operand required grad when it was made, the result does not, and the result depends on the
operand's values (shown by replacing them): zeros_like(A) reads a shape, not A.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import torch

from gradcli.engine.defaults import tensors
from gradcli.engine.dependence import depends
from gradcli.engine.evaluate import Watch, run
from gradcli.engine.gradient import Outcome
from gradcli.engine.nodes import nodes
from gradcli.engine.proving.again import forgetting
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
    """What is known of a value when it was made: whether it led back, to nothing but itself, and what it was.

    `read`: the steps whose values led back when this one read them. `wrote`: those that share the memory it wrote to.
    `onto_leaf`: it wrote to a leaf, which is where gradients end: it hands on that leaf and cuts nothing.
    """

    required: bool = False
    leaf: bool = False
    lost: bool = False
    flagged: bool = False
    described: str = ""
    read: frozenset[int] = frozenset()
    wrote: frozenset[int] = frozenset()
    onto_leaf: bool = False


def reached(outcome: Outcome) -> set[str]:
    """The inputs whose accumulators the recorded graph leads to."""
    ids = {id(tensor): name for name, tensor in (*outcome.leaves.items(), *outcome.made.items())}
    found = {ids[id(one)] for one in outcome.results if id(one) in ids}
    for node in nodes(outcome.results):
        if len(found) == len(ids):
            break
        if not node.next_functions:  # a node that leads on accumulates nothing, and asking it is slow
            name = ids.get(id(getattr(node, "variable", None)))
            found |= {name} if name is not None else set()
    return found


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
    wanted = _ancestors(program, births)
    modes = _recording(program, outcome.request.mode)
    found: dict[int, Cut] = {}
    carried: set[str] = set()
    for index, step in enumerate(program.steps):
        if not isinstance(step, Call) or index not in wanted:
            continue
        live = [ref for ref in _reads(step) if ref in births[index].read and sources[ref]]
        if not live or not births[index].lost:
            continue
        inputs = tuple(name for name in outcome.inputs if any(name in sources[ref] for ref in live))
        values = _values(outcome, index)
        if values is None or not depends(step, values, live):
            continue
        if births[index].onto_leaf:
            continue
        if births[index].leaf and step.function.name == "requires_grad_" and values[index] is values[live[0]]:
            continue  # a leaf hands on itself
        carried |= set(inputs)
        kind: Kind = "fresh" if births[index].leaf and modes[index] else _kind(step, values, index, modes[index], live)
        found[index] = Cut(kind, step, inputs, births[index].described, births[index].flagged)
    silent = [one for name in sorted(names - carried) if (one := _silent(outcome, name, sources, births, wanted))]
    return [*found.values(), *silent], names - carried - {name for one in silent for name in one.inputs}


def _silent(
    outcome: Outcome, name: str, sources: list[frozenset[str]], births: list[_Birth], wanted: set[int]
) -> Cut | None:
    """The first step whose result goes on without an input that it depends on: a target that losses only compare."""
    steps = outcome.request.program.steps

    def live(index: int) -> list[int]:
        return [ref for ref in _reads(steps[index]) if ref in births[index].read and name in sources[ref]]

    tried = {at for at in wanted if isinstance(steps[at], Call) and not births[at].lost and live(at)}
    leaf: list[torch.Tensor] = []
    mute: list[int] = []

    def watch(index: int, value: Any) -> None:
        step = steps[index]
        if isinstance(step, Input) and step.name == name:
            leaf.append(value)
        elif index in tried and leaf and not mute and not _gives(leaf[0], value):
            mute.append(index)

    if not tried or not _evaluated(outcome, watch) or not mute:
        return None
    index = mute[0]
    step, values = steps[index], _values(outcome, index)
    proved = isinstance(step, Call) and values is not None and depends(step, values, live(index))
    return Cut("silent", step, (name,), births[index].described) if proved else None


def _gives(leaf: torch.Tensor, value: Any) -> bool:
    """Whether a backward pass from a value gives a leaf a gradient."""
    roots = [one.sum() for one in tensors(value) if one.requires_grad and one.is_floating_point()]
    try:
        (found,) = torch.autograd.grad(roots, leaf, [torch.ones_like(one) for one in roots], True, allow_unused=True)
    except Exception:
        return True  # torch refuses; nothing is shown by that
    return found is not None


def _reads(step: Step) -> list[int]:
    return [ref for operand in operands(step) for ref in references(operand)]


def _watch(outcome: Outcome) -> list[_Birth] | None:
    """What is known of each value, none of which is kept: of one that later steps hand on, what it is then."""
    program = outcome.request.program
    births = [_Birth()] * len(program.steps)
    live: dict[int, Any] = {}
    leading: dict[int, bool] = {}

    def note(index: int, value: Any) -> None:
        step = program.steps[index]
        required = any(leads_back(one) for one in tensors(value))
        read = frozenset(ref for ref in _reads(step) if leading.get(ref))
        wrote = _sharing(step, live)
        onto_leaf = any(
            at in read and leads_back(live[at]) and is_leaf(live[at]) for at in wrote & set(_reads(step)[:1])
        )
        live[index] = value
        detached = isinstance(step, Call) and step.function.name == "detach_"  # what it was made as, it was
        for at in [one for one in live if live[one] is value]:
            leading[at] = required
            if at == index:
                births[at] = replace(_birth(value, required), read=read, wrote=wrote, onto_leaf=onto_leaf)
            elif not detached:
                was = births[at]
                now = _birth(value, was.required)
                births[at] = replace(now, read=was.read, wrote=was.wrote, onto_leaf=was.onto_leaf)
        for done in program.frees[index]:
            live.pop(done, None)

    with forgetting():
        return births if _evaluated(outcome, note) else None


def _sharing(step: Step, live: dict[int, Any]) -> frozenset[int]:
    """The values that share memory with the one that a step writes to."""
    if not isinstance(step, Call) or not step.args or not writes(step.function, step.args, step.kwargs):
        return frozenset()
    target = live.get(next(iter(references(step.args[0])), -1))
    if not isinstance(target, torch.Tensor):
        return frozenset()
    memory = _memory(target)
    return frozenset(at for at, one in live.items() if isinstance(one, torch.Tensor) and _memory(one) == memory)


def _memory(value: torch.Tensor) -> int:
    return value.untyped_storage().data_ptr()


def _birth(value: Any, required: bool) -> _Birth:
    flagged = any(one.requires_grad for one in tensors(value))
    leaf = flagged and isinstance(value, torch.Tensor) and is_leaf(value)
    return _Birth(required, leaf, _lost(value), flagged, _described(value))


class _Enough(Exception):  # no error: what follows is not needed
    """The step that was wanted has run."""


def _values(outcome: Outcome, wanted: int) -> list[Any] | None:
    """The value of a step and those that it reads, each under its index, made again."""
    values: list[Any] = [None] * len(outcome.request.program.steps)
    kept = {wanted, *_reads(outcome.request.program.steps[wanted])}

    def watch(index: int, value: Any) -> None:
        if index in kept:
            values[index] = value
        if index == wanted:
            raise _Enough

    try:
        with forgetting():
            return values if _evaluated(outcome, watch) else None
    except _Enough:
        return values


def _evaluated(outcome: Outcome, watch: Watch) -> bool:
    """Whether the request can be evaluated again; `watch` sees it."""
    request = outcome.request
    with seeded(request):
        try:
            run(request.program, make_leaves(request), request.settings, request.mode, watch)
        except GradcliError:
            return False
    return True


def _sources(program: Program, names: frozenset[str], births: list[_Birth]) -> list[frozenset[str]]:
    """For each step, the inputs among `names` whose values flow into it."""
    sources: list[frozenset[str]] = []
    for step, birth in zip(program.steps, births, strict=True):
        own = names & {name} if (name := _input_name(step, birth)) else frozenset()
        read = (ref for operand in operands(step) for ref in references(operand))
        sources.append(own.union(*(sources[ref] for ref in read)))
        for at in birth.wrote:
            sources[at] |= sources[-1]
    return sources


def _input_name(step: Step, birth: _Birth) -> str | None:
    """The name of an input where a step reads one, or gives its name to a leaf that the text makes."""
    if isinstance(step, Input):
        return step.name
    return step.name if isinstance(step, Bind) and birth.leaf and birth.required else None


def _ancestors(program: Program, births: list[_Birth]) -> set[int]:
    """The steps that an output reads, directly or not; a write makes its operands part of what it wrote to."""
    wanted = {ref for output in program.outputs for ref in references(output.operand)}
    for index in range(len(program.steps) - 1, -1, -1):
        read = set(_reads(program.steps[index]))
        if births[index].wrote & wanted:
            wanted |= read - births[index].wrote | ({index} if read & wanted else set())
        if index in wanted:
            wanted |= {index} | (set() if births[index].onto_leaf else read)
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


def _kind(step: Call, values: list[Any], index: int, recording: bool, live: list[int]) -> Kind:
    if not recording:
        return "mode"
    value = values[index]
    if not isinstance(value, torch.Tensor):
        return "number" if not list(tensors(value)) else "flat"
    if not (value.is_floating_point() or value.is_complex()):
        return "flat"
    origin = [one for ref in live for one in tensors(values[ref])]
    if any(isinstance(values[ref], tuple) for ref in live):
        return "flat"
    same_memory = any(_memory(one) == _memory(value) for one in origin)
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
