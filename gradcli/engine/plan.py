"""The plain way through a program that is run again: its functions and the places of their operands, found once.

Most questions are one expression of a few calls on small tensors. Where that is all a program is, nothing has to be
weighed, let go or refused on the way, and its steps are a row of calls. Whatever turns out otherwise is left to the
loop of `evaluate`, which runs the steps anew and says what is wrong: the calls planned here change and draw nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import FunctionType
from typing import Any, NamedTuple

import torch

from gradcli.engine.bounds.operands import product
from gradcli.engine.evaluate import mode_of
from gradcli.engine.looking import Looks
from gradcli.engine.operations import callable_of, operand_value
from gradcli.engine.recording import Label, Recording, Request, label_of
from gradcli.engine.unchecked import UNCHECKED
from gradcli.language.program import Bind, Call, Input, Program, Ref, operands, references
from gradcli.language.signature import alternatives

FEW = 1024  # elements, of all inputs multiplied and of each value
MANY = 1 << 17  # the same of steps whose values are no larger than their operands
MUCH = 1 << 20  # elements of all steps together: what any machine has
NUMBERS = 64  # the numbers multiplied that may stand in a call that is not pointwise: they may drive its size
MOST = 1024  # programs that are remembered


class Plan(NamedTuple):
    """The calls of a program, in order, each with the place of its value and those of its operands.

    `places`: room for the values of all steps, then what is written in the text. `names`: steps that give a name to the
    value of another. `silent`: torch warns of none of it. `most`: elements that inputs may have, and values.
    """

    places: list[Any]
    inputs: tuple[tuple[int, str], ...]
    calls: tuple[tuple[int, Callable[..., Any], tuple[int, ...]], ...]
    names: tuple[tuple[int, int], ...]
    output: int
    labels: list[Label]
    silent: bool
    most: int

    def values(self, inputs: Mapping[str, torch.Tensor]) -> list[Any] | None:
        """The value of each step, none let go; None where the program has to be run step by step."""
        values, most = self.places.copy(), self.most
        count = 1
        for index, name in self.inputs:
            one = values[index] = inputs[name]
            count *= one.numel()
        if not 0 < count <= most and not (most > FEW and 0 < _broadcast(inputs.values()) <= most):
            return None
        try:
            for index, function, reads in self.calls:
                one = values[index] = function(*[values[place] for place in reads])
                if type(one) is not torch.Tensor or not 0 < one.numel() <= most:
                    return None
        except Exception:
            return None
        for index, place in self.names:
            values[index] = values[place]
        return values

    def unheard(self, request: Request) -> bool:
        """Whether nothing can warn while a request is evaluated and gone back from, so that none need listen.

        torch warns of halves among complex numbers.
        """
        return (
            self.silent
            and request.upstream is None
            and NUMBERS_IN.issuperset([type(one.data) for one in request.given])
            and not [True for one in request.given if type(one.data) is torch.Tensor and one.data.itemsize == 2]
        )


NUMBERS_IN = frozenset({float, int, list, torch.Tensor})


def planned(
    plan: Plan, request: Request, leaves: dict[str, torch.Tensor], upstream: torch.Tensor | None, looks: Looks | None
) -> Recording | None:
    """What `record` would make of a request; None where it has to be asked."""
    with mode_of(request.mode):
        values = plan.values(leaves)
    if values is None:
        return None
    if looks is not None:
        looks.after(values)
    return Recording(leaves, {}, (values[plan.output],), plan.labels, upstream)


_known: dict[int, tuple[Program, Plan | None]] = {}
_met: dict[int, Program] = {}


def plan_of(program: Program) -> Plan | None:
    """The plan of a program that was run before; None the first time, which may be the last, and where there is none.

    Programs are told apart as objects: to compare their steps takes longer than to run them.
    """
    found = _known.get(id(program))
    if found is not None and found[0] is program:
        return found[1]
    if _met.get(id(program)) is not program:
        _remember(_met, program, program)
        return None
    _met.pop(id(program), None)  # another thread may have been sooner
    plan = _planned(program)
    _remember(_known, program, (program, plan))
    return plan


def _remember(memory: dict[int, Any], program: Program, what: Any) -> None:
    """Keep what is known of a program, the oldest let go. The program is kept with it, so that its id stays its own."""
    while len(memory) >= MOST:
        memory.pop(next(iter(memory)), None)
    memory[id(program)] = what


def _warns(step: Call, function: Callable[..., Any]) -> bool:
    """Whether torch may warn of a call, which is then listened to and told as a note.

    A Python function checks its arguments, and warns of them as it likes.
    """
    usual = alternatives(step.function.signature)[0].positional  # other forms are deprecated: add(A, 2, B)
    written_out = bool(step.kwargs) or len(step.args) > len(usual)
    return not step.function.silent or written_out or isinstance(function, FunctionType)


def _plain(step: Call) -> bool:
    """Whether a call is a function of tensors and of what the text says, whose value is small where they are."""
    function = step.function
    if function.grows or function.limits or function.makes or function.name in UNCHECKED or step.style not in _STYLES:
        return False
    written = [operand for operand in operands(step) if not isinstance(operand, Ref)]
    refs = len(step.args) + len(step.kwargs) - len(written)
    if (
        not refs
        or any(references(operand) for operand in written)
        or any(isinstance(one, Ref) for _, one in step.kwargs)
    ):
        return False
    if step.style == "operator" and not all(type(operand) in (int, float) for operand in written):
        return False
    return function.pointwise or (refs <= 2 and product([operand_value(one, []) for one in written]) <= NUMBERS)


_STYLES = frozenset({"function", "method", "operator", "index"})


def _level(step: Call) -> bool:
    """Whether the value of a call has the shape that its operands are broadcast to, or that of its one at most."""
    if step.function.pointwise:
        return True
    written = [operand for operand in operands(step) if type(operand) in _NUMBERS]
    return step.function.along in ("reduces", "keeps") and len(step.args) + len(step.kwargs) - len(written) == 1


_NUMBERS = frozenset({int, float, bool, str})


def _broadcast(values: Iterable[torch.Tensor]) -> int:
    """The most elements that values can have which are made of these step by level step."""
    return math.prod([shape.numel() for shape in {one.shape for one in values}])


def _planned(program: Program) -> Plan | None:
    if program.writes or program.random or program.grows or program.upstream is not None or len(program.outputs) > 1:
        return None
    (output,) = program.outputs
    if not isinstance(output.operand, Ref):
        return None
    places: list[Any] = [None] * len(program.steps)
    inputs: list[tuple[int, str]] = []
    calls: list[Any] = []
    names: dict[int, int] = {}
    silent = level = True
    for index, step in enumerate(program.steps):
        if isinstance(step, Input):
            inputs.append((index, step.name))
            continue
        if isinstance(step, Bind) and isinstance(step.operand, Ref) and step.part is None:
            names[index] = names.get(step.operand.step, step.operand.step)
            continue
        if not isinstance(step, Call) or not _plain(step):
            return None
        reads = []
        for operand in step.args:
            if isinstance(operand, Ref):
                reads.append(names.get(operand.step, operand.step))
            else:
                reads.append(len(places))
                places.append(operand_value(operand, []))
        function = callable_of(step)
        silent &= not _warns(step, function)
        level &= _level(step)
        if step.kwargs:
            function = partial(function, **{name: operand_value(one, []) for name, one in step.kwargs})
        calls.append((index, function, tuple(reads)))
    if not silent and any(isinstance(step, Bind) and step.name for step in program.steps):
        return None  # what is named may be a leaf of its own
    label = (output.name, label_of(program, output), output.span)
    most = max(min(MANY, MUCH // max(len(calls), 1)), FEW) if level else FEW
    return Plan(places, tuple(inputs), tuple(calls), tuple(names.items()), output.operand.step, [label], silent, most)
