"""A program in which chosen steps have names of their own, and every operand follows to its new place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradcli.language.program import Bind, Call, Items, Operand, Output, Program, Ref, SliceOf, Step


def named(program: Program, names: Mapping[int, str]) -> Program:
    """The same program, with a name bound to the value of each of these steps right after it.

    Whatever read such a step reads the name. The program is for spelling: it keeps no list of what may be freed.
    """
    steps: list[Step] = []
    places: list[int] = []
    for index, step in enumerate(program.steps):
        if not _bare(step, names):
            steps.append(moved(step, places))
        if index in names:
            steps.append(Bind(names[index], Ref(len(steps) - 1), None, None, step.span))
        places.append(len(steps) - 1)
    outputs = tuple(_named_output(program, one, names, places) for one in program.outputs)
    upstream = renumbered(program.upstream, places)
    return replace(program, steps=tuple(steps), outputs=outputs, upstream=upstream, frees=())


def _bare(step: Step, names: Mapping[int, str]) -> bool:
    """Whether a step is a statement that only mentions a value which gets a name."""
    return isinstance(step, Bind) and step.name is None and isinstance(step.operand, Ref) and step.operand.step in names


def _named_output(program: Program, output: Output, names: Mapping[int, str], places: Sequence[int]) -> Output:
    operand = output.operand
    name = output.name
    if isinstance(operand, Ref) and name is None:
        step = program.steps[operand.step]
        source = step.operand if _bare(step, names) and isinstance(step, Bind) else operand
        name = names.get(source.step) if isinstance(source, Ref) else None
    return replace(output, operand=renumbered(operand, places), name=name)


def moved(step: Step, places: Sequence[int]) -> Step:
    """A step whose operands stand at new places: `places` has the new index of each earlier step."""
    if isinstance(step, Call):
        kwargs = tuple((name, renumbered(one, places)) for name, one in step.kwargs)
        return replace(step, args=tuple(renumbered(one, places) for one in step.args), kwargs=kwargs)
    if isinstance(step, Bind):
        return replace(step, operand=renumbered(step.operand, places))
    return step


def renumbered(operand: Operand, places: Sequence[int]) -> Operand:
    """An operand whose steps stand at new places."""
    if isinstance(operand, Ref):
        return Ref(places[operand.step])
    if isinstance(operand, Items):
        return replace(operand, elements=tuple(renumbered(one, places) for one in operand.elements))
    if isinstance(operand, SliceOf):
        return SliceOf(*(renumbered(one, places) for one in (operand.start, operand.stop, operand.step)))
    return operand
