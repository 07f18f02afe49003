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
from gradcli.engine.gradient import Outcome
from gradcli.engine.nodes import nodes
from gradcli.engine.paths import Paths, paths_of, values_at
from gradcli.engine.proving.again import Short
from gradcli.engine.recording import quiet
from gradcli.engine.silent import silent_step
from gradcli.language.program import Call, Step

Kind = Literal["mode", "number", "copy", "flat", "fresh", "silent"]

LARGEST = 10_000  # numbers among which those of a result are looked for


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
    """The steps that cut the paths from these inputs to the outputs, and the inputs that no path leads from.

    Nothing is told where the request cannot be evaluated again, or there is no memory for that.
    """
    try:
        with quiet():
            paths = paths_of(outcome, names)
            return _found(outcome, names, paths) if paths is not None else ([], frozenset())
    except Short:
        return [], frozenset()


def _found(outcome: Outcome, names: frozenset[str], paths: Paths) -> tuple[list[Cut], frozenset[str]]:
    cuts = [cut for index in sorted(paths.wanted) if (cut := _cut(outcome, paths, index)) is not None]
    left = names.difference(*(cut.inputs for cut in cuts))
    for name in sorted(left):
        found = silent_step(outcome, name, paths)
        if found is not None:
            cuts.append(Cut("silent", found[0], (name,), _described(found[1])))
    return cuts, left.difference(*(cut.inputs for cut in cuts))


def _cut(outcome: Outcome, paths: Paths, index: int) -> Cut | None:
    """The cut that a step is; None where it is none."""
    step, made, live = paths.steps[index], paths.made[index], paths.live(index)
    if not isinstance(step, Call) or not live or not made.lost or made.onto_leaf:
        return None
    values = values_at(outcome, index)
    if values is None or not depends(step, values, live):
        return None
    if made.leaf and step.function.name == "requires_grad_" and values[index] is values[live[0]]:
        return None  # a leaf hands on itself
    inputs = tuple(name for name in outcome.inputs if any(name in paths.sources[ref] for ref in live))
    kind: Kind = "mode" if not made.recorded else "fresh" if made.leaf else _kind(step, values[index], values, live)
    return Cut(kind, step, inputs, _described(values[index]), made.flagged)


def _kind(step: Call, value: Any, values: list[Any], live: list[int]) -> Kind:
    """Why the result of a recorded step carries no gradient on."""
    if not isinstance(value, torch.Tensor):
        return "number" if not list(tensors(value)) else "flat"
    if not (value.is_floating_point() or value.is_complex()):
        return "flat"
    if any(isinstance(values[ref], tuple) for ref in live):
        return "flat"
    origin = [one for ref in live for one in tensors(values[ref])]
    same_memory = any(one.untyped_storage().data_ptr() == value.untyped_storage().data_ptr() for one in origin)
    made_anew = step.function.makes or step.function.family == "conversion"
    return "copy" if same_memory or made_anew or _copied(value, origin) else "flat"


def _copied(value: torch.Tensor, origin: list[torch.Tensor]) -> bool:
    """Whether every number of a result is a number of its operands."""
    if value.numel() > LARGEST or sum(one.numel() for one in origin) > LARGEST:
        return False
    pool = {complex(number) for one in origin for number in one.detach().reshape(-1).tolist()}
    return all(complex(number) in pool for number in value.reshape(-1).tolist())


def _described(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return str(value.dtype).removeprefix("torch.")
    return type(value).__name__
