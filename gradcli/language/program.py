"""What a text means: an immutable, flat sequence of steps in the order of evaluation.

A step refers to earlier steps by index. Evaluation, trace, generated code and carets all read this sequence.
Spans are for people: two programs are equal where their steps are, wherever their text stood.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gradcli.errors import Span
from gradcli.language.vocabulary import Function

Style = Literal["function", "method", "operator", "index", "attribute", "field", "augment", "store"]


@dataclass(frozen=True, slots=True)
class Ref:
    """The value of an earlier step."""

    step: int


@dataclass(frozen=True, slots=True)
class Items:
    """A list or a tuple written in the text, of any operands."""

    kind: Literal["list", "tuple"]
    elements: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class SliceOf:
    """start:stop:step inside an index."""

    start: Operand
    stop: Operand
    step: Operand


@dataclass(frozen=True, slots=True)
class Named:
    """A constant that only torch or Python holds, by its dotted name: a dtype, a memory format."""

    path: str


Number = bool | int | float | complex
Operand = Ref | Items | SliceOf | Named | bool | int | float | complex | str | None
Keywords = tuple[tuple[str, Operand], ...]


@dataclass(frozen=True, slots=True)
class Input:
    """A free name: its value is given from outside."""

    name: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """An operation of the vocabulary on operands; `path` is the dotted name that it was reached by."""

    function: Function
    path: str
    style: Style
    args: tuple[Operand, ...]
    kwargs: Keywords
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Bind:
    """A name for a value, or for item `part` of a value that has `parts` items. A name of None: a bare statement."""

    name: str | None
    operand: Operand
    part: int | None
    parts: int | None
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Enter:
    """Begin a block under a grad mode: the context manager's torch name and its argument."""

    manager: str
    flag: bool | None
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Leave:
    """End the innermost block."""

    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Seed:
    """Seed the random numbers that follow."""

    number: int
    span: Span = field(compare=False)


Step = Input | Call | Bind | Enter | Leave | Seed


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about the text worth telling: a line that was not needed, a name that looks like another."""

    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class Output:
    """Something that the text answers, and the name that the text gave it."""

    operand: Operand
    name: str | None
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Program:
    """The steps of one text, its free names, and what it answers: several outputs where it ends in a tuple.

    `cuts`: whether a step may detach a path that another keeps.
    `frees` holds, for each step, the steps whose values nothing reads after it; `looked` holds the steps
    that diagnosis looks at while they run (`language.families`), and `held` those whose values it needs for that.
    """

    source: str = field(compare=False)
    steps: tuple[Step, ...]
    inputs: tuple[str, ...]
    outputs: tuple[Output, ...]
    backward: Span | None = field(compare=False, default=None)
    upstream: Operand = None
    grad_reads: tuple[tuple[str, Span], ...] = field(compare=False, default=())
    retained: frozenset[str] = field(compare=False, default=frozenset())
    remarks: tuple[Remark, ...] = field(compare=False, default=())
    frees: tuple[tuple[int, ...], ...] = field(compare=False, default=())
    writes: bool = False
    random: bool = False
    grows: bool = False
    cuts: bool = field(compare=False, default=False)
    looked: Mapping[int, Any] = field(compare=False, default_factory=dict)
    held: frozenset[int] = field(compare=False, default=frozenset())


def references(operand: Operand) -> list[int]:
    """The steps that an operand mentions, in order."""
    if isinstance(operand, Ref):
        return [operand.step]
    if isinstance(operand, Items):
        return [index for element in operand.elements for index in references(element)]
    if isinstance(operand, SliceOf):
        return [index for part in (operand.start, operand.stop, operand.step) for index in references(part)]
    return []


def operands(step: Step) -> tuple[Operand, ...]:
    """The operands of a step, in order."""
    if isinstance(step, Call):
        return (*step.args, *(value for _, value in step.kwargs))
    return (step.operand,) if isinstance(step, Bind) else ()


def last_reads(steps: tuple[Step, ...], kept: tuple[Operand, ...]) -> tuple[tuple[int, ...], ...]:
    """For each step, the earlier values that it reads last; those in `kept` are never let go."""
    last = {index: at for at, step in enumerate(steps) for operand in operands(step) for index in references(operand)}
    held = {index for operand in kept for index in references(operand)}
    freed: list[list[int]] = [[] for _ in steps]
    for index, at in last.items():
        if index not in held and not isinstance(steps[index], Input):
            freed[at].append(index)
    return tuple(map(tuple, freed))
