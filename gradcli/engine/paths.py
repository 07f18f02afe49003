"""The paths from inputs to outputs through the steps of a program, followed by evaluating it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from gradcli.engine.defaults import tensors
from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import again
from gradcli.engine.recording import is_leaf, leads_back
from gradcli.language.program import Bind, Call, Input, Program, Step, operands, references
from gradcli.language.signature import writes


@dataclass(frozen=True, slots=True)
class Made:
    """What was known of a value when its step made it.

    `required`: it led back to a leaf; `leaf`: to nothing but itself; `lost`: it carries no gradient on; `flagged`:
    torch says that it requires grad; `recorded`: autograd was recording. `led`: the steps whose values led back when
    this one read them; `wrote`: those that share the memory it wrote to; `onto_leaf`: that was a leaf's, where
    gradients end: the step hands on that leaf and cuts nothing.
    """

    required: bool = False
    leaf: bool = False
    lost: bool = False
    flagged: bool = False
    recorded: bool = False
    led: frozenset[int] = frozenset()
    wrote: frozenset[int] = frozenset()
    onto_leaf: bool = False


@dataclass(frozen=True, slots=True)
class Paths:
    """For each step what it made and the inputs whose values flow into that, and the steps that the outputs read."""

    steps: tuple[Step, ...]
    made: Sequence[Made]
    sources: Sequence[frozenset[str]]
    wanted: frozenset[int]

    def live(self, index: int) -> list[int]:
        """The steps that a step reads, and through which paths come to it."""
        return [ref for ref in reads(self.steps[index]) if ref in self.made[index].led and self.sources[ref]]


def paths_of(outcome: Outcome, names: frozenset[str]) -> Paths | None:
    """The paths from these inputs; None where the request cannot be evaluated again.

    No value is kept: of one that later steps hand on, what it is then is known.
    """
    program = outcome.request.program
    made = [Made()] * len(program.steps)
    live: dict[int, Any] = {}
    leading: dict[int, bool] = {}

    def note(index: int, value: Any) -> None:
        step = program.steps[index]
        required = any(leads_back(one) for one in tensors(value))
        led, wrote = frozenset(ref for ref in reads(step) if leading.get(ref)), _sharing(step, live)
        target = [live[at] for at in reads(step)[:1] if at in wrote & led]
        onto_leaf = any(leads_back(one) and is_leaf(one) for one in target)
        made[index] = Made(required, recorded=torch.is_grad_enabled(), led=led, wrote=wrote, onto_leaf=onto_leaf)
        live[index] = value
        detached = isinstance(step, Call) and step.function.name == "detach_"  # what it was made as, it was
        for at in [one for one in live if live[one] is value]:
            leading[at] = required
            if at == index or not detached:
                made[at] = _made(value, made[at])
        for done in program.frees[index]:
            live.pop(done, None)

    if again(outcome, watch=note) is None:
        return None
    return Paths(program.steps, made, _sources(program, names, made), _wanted(program, made))


def _made(value: Any, was: Made) -> Made:
    found = list(tensors(value))
    flagged = any(one.requires_grad for one in found)
    leaf = flagged and isinstance(value, torch.Tensor) and is_leaf(value)
    lost = not any(leads_back(one) and not is_leaf(one) for one in found)
    return replace(was, leaf=leaf, lost=lost, flagged=flagged)


def _sharing(step: Step, live: Mapping[int, Any]) -> frozenset[int]:
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


def _sources(program: Program, names: frozenset[str], made: Sequence[Made]) -> list[frozenset[str]]:
    """For each step, the inputs among `names` whose values flow into it."""
    sources: list[frozenset[str]] = []
    for step, one in zip(program.steps, made, strict=True):
        own = names & {name} if (name := _input_name(step, one)) else frozenset()
        sources.append(own.union(*(sources[ref] for ref in reads(step))))
        for at in one.wrote:
            sources[at] |= sources[-1]
    return sources


def _input_name(step: Step, made: Made) -> str | None:
    """The name of an input where a step reads one, or gives its name to a leaf that the text makes."""
    if isinstance(step, Input):
        return step.name
    return step.name if isinstance(step, Bind) and made.leaf and made.required else None


def _wanted(program: Program, made: Sequence[Made]) -> frozenset[int]:
    """The steps that an output reads, directly or not; a write makes its operands part of what it wrote to."""
    wanted = {ref for output in program.outputs for ref in references(output.operand)}
    for index in range(len(program.steps) - 1, -1, -1):
        read, one = set(reads(program.steps[index])), made[index]
        if one.wrote & wanted:
            wanted |= read - one.wrote | ({index} if read & wanted else set())
        if index in wanted:
            wanted |= {index} | (set() if one.onto_leaf else read)
    return frozenset(wanted)


def reads(step: Step) -> list[int]:
    """The steps whose values a step reads, in order."""
    return [ref for operand in operands(step) for ref in references(operand)]


class _Enough(Exception):  # no error: what follows is not needed
    """The step that was wanted has run."""


def values_at(outcome: Outcome, wanted: int) -> list[Any] | None:
    """The value of a step and those that it reads, each under its index, made again; None where they cannot be."""
    steps = outcome.request.program.steps
    values: list[Any] = [None] * len(steps)
    kept = {wanted, *reads(steps[wanted])}
    ran: list[int] = []

    def watch(index: int, value: Any) -> None:
        if index in kept:
            values[index] = value
        if index == wanted:
            ran.append(index)
            raise _Enough

    again(outcome, watch=watch)
    return values if ran else None
