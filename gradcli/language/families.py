"""Which steps of a program deserve a look while they run, and what for: kinks, sums that may lose digits, and so on.

Found once, when the text is read, so that a healthy answer pays for what its own text holds and for nothing else.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from gradcli.language.program import Call, Enter, Ref, Step, operands, references
from gradcli.language.vocabulary import Function

KINKED = 1  # an operand may be exactly at a kink
ADDS = 2  # a sum or a difference may lose what its operands hold
STRETCHES = 4  # two operands may both be expanded
PICKS = 8  # an index may occur twice


class Looked(NamedTuple):
    """A step that is looked at: what for, as bits, and the steps whose values it reads.

    `zeros`: the one step of whose value nothing is asked but whether it has zeros; None where more is asked.
    """

    families: int
    reads: tuple[int, ...]
    zeros: int | None = None


_ADDING = frozenset({"+", "-", "+=", "-=", "add", "sub", "rsub", "add_", "sub_", "subtract"})
_CARRIES = ("zero", "ties", "bounds")
_NAMES_INDEX = re.compile(r"\bind(?:ex|ices)\b")
_PICKING = frozenset({"index", "store", "embedding", "embedding_bag", "max_unpool1d", "max_unpool2d", "max_unpool3d"})
_SHAPED = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"})


@cache
def _of(function: Function) -> int:
    found = 0
    if function.differentiable and (function.kinks in _POINTS or any(one in function.kinks for one in _CARRIES)):
        found |= KINKED
    if function.name in _ADDING:
        found |= ADDS
    if (function.pointwise and function.differentiable) or function.name in _SHAPED:
        found |= STRETCHES
    picks = function.family == "indexing" and _NAMES_INDEX.search(function.signature)
    if picks or function.name in _PICKING:
        found |= PICKS
    return found


_POINTS = frozenset({"0", "0 6", "-3 3"})
_INFINITE = frozenset("sqrt rsqrt reciprocal log log2 log10 entr lgamma digamma".split())


def family_of(step: Step) -> int:
    """What one step is looked at for."""
    if not isinstance(step, Call):
        return 0
    found = _of(step.function)
    if step.function.name.rstrip("_") in _INFINITE:
        found &= ~KINKED  # their slope is infinite there: the gradient shows it
    if len(_reads(step)) < 2:
        found &= ~STRETCHES
        if step.function.name == "index" and not _lists(step):
            found &= ~PICKS
    return found


def _lists(step: Call) -> bool:
    return any(not isinstance(one, (int, type(None), str)) and not references(one) and _holds(one) for one in step.args)


def _holds(operand: object) -> bool:
    """Whether an index written in the text has a list in it."""
    elements = getattr(operand, "elements", ())
    return getattr(operand, "kind", None) == "list" or any(map(_holds, elements))


def looked(steps: tuple[Step, ...]) -> dict[int, Looked]:
    """The steps to look at, in order."""
    found = {}
    for index, step in enumerate(steps):
        families = family_of(step)
        if families:
            found[index] = Looked(families, tuple(dict.fromkeys(_reads(step))), _zeros(step, families))
    return found


def _zeros(step: Step, families: int) -> int | None:
    """The operand of relu and its like, which bend at 0 alone."""
    assert isinstance(step, Call)
    alone = families == KINKED and step.function.kinks == "0" and len(step.args) == 1 and not step.kwargs
    return step.args[0].step if alone and isinstance(step.args[0], Ref) else None


# A program without these, whose gradients have all arrived, has no cut path.
_CUTTERS = frozenset({"detach", "detach_", "data", "tensor", "as_tensor", "new_tensor"})


def cuts(steps: tuple[Step, ...]) -> bool:
    """Whether a step may detach a path that another one keeps."""
    return any(isinstance(one, Enter) or (isinstance(one, Call) and one.function.name in _CUTTERS) for one in steps)


def _reads(step: Step) -> list[int]:
    return [ref for operand in operands(step) for ref in references(operand)]
