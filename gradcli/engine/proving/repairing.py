"""Whether another text is a repair: the same value where the old one was right, and the true gradient where it was not.

At this point and at points nearby the value must be the same, the gradient finite, and unchanged where it was finite;
where it was not, it must lie between the slopes of the old answer on both sides, measured, or those that the old answer
has with every condition as it is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import Move, Short, again
from gradcli.engine.proving.masking import conditions_held, moves
from gradcli.engine.proving.sloping import Slopes, slopes
from gradcli.errors import GradcliError
from gradcli.language.parser import parse

if TYPE_CHECKING:
    from gradcli.engine.proving.proofs import Proofs

MOST = 4  # elements whose slopes are measured

Point = tuple[tuple[torch.Tensor, ...], dict[str, torch.Tensor]]


def holds(proofs: Proofs, text: str) -> dict[str, torch.Tensor] | None:
    """The gradients that a text gives, where it is a repair of the answer; None where it is not."""
    outcome = proofs.outcome
    try:
        program = parse(text, frozenset(outcome.leaves))
    except GradcliError:
        return None
    if program.inputs != outcome.request.program.inputs and set(program.inputs) != set(outcome.request.program.inputs):
        return None
    other = outcome._replace(request=outcome.request._replace(program=program))
    found: dict[str, torch.Tensor] = {}
    for move in (None, *moves(outcome)):
        was, new = _at(outcome, move), _at(other, move)
        if was is None or new is None or not _agree(was, new):
            return None
        found = found or new[1]
    if not _true(proofs, proofs.gradients, found):
        return None
    return found


def attaches(proofs: Proofs, text: str, names: tuple[str, ...]) -> dict[str, torch.Tensor] | None:
    """The gradients that a text gives inputs that have none, where nothing else changes; None where it is otherwise."""
    outcome = proofs.outcome
    try:
        program = parse(text, frozenset(outcome.leaves))
    except GradcliError:
        return None
    if set(program.inputs) != set(outcome.request.program.inputs):
        return None
    other = outcome._replace(request=outcome.request._replace(program=program))
    found: dict[str, torch.Tensor] = {}
    for move in (None, *moves(outcome)):
        was, new = _at(outcome, move), _at(other, move)
        if was is None or new is None or not set(names) <= new[1].keys():
            return None
        kept = {name: one for name, one in new[1].items() if name in was[1]}
        if not _agree((was[0], {name: was[1][name] for name in kept}), (new[0], kept)) or len(kept) < len(was[1]):
            return None
        found = found or new[1]
    for name in names:
        flat = found[name].reshape(-1)
        if not bool(flat.isfinite().all()):
            return None
        for index in range(min(flat.numel(), MOST)):
            if not _between(float(flat[index]), slopes(proofs.outcome, name, index)):
                return None
    return found


def _at(outcome: Outcome, move: Move | None) -> Point | None:
    """Values and gradients of a text at a point."""
    run = again(outcome, move=move, recorded=True)
    if run is None:
        return None
    results = tuple(one.detach() for one in run.results)
    try:
        return results, run.gradients()
    except Short:
        raise
    except Exception:
        return results, {}


def _agree(was: Point, new: Point) -> bool:
    """Whether values are the same, and gradients where the old ones are finite; the new ones must be finite there."""
    if len(was[0]) != len(new[0]):
        return False
    for one, other in zip(was[0], new[0], strict=True):
        right = one.isfinite()
        if one.shape != other.shape or not _same(one[right], other[right]):
            return False
    old, found = was[1], new[1]
    if old.keys() != found.keys():
        return False
    for name, one in found.items():
        fine = old[name].isfinite()
        if not _same(old[name][fine], one[fine]):
            return False
    return True


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return torch.allclose(one, other, rtol=1e-5, atol=1e-7, equal_nan=True)


def _true(proofs: Proofs, old: Any, found: dict[str, torch.Tensor]) -> bool:
    """Whether gradients that were not finite are now, and lie between the true slopes on both sides."""
    held = conditions_held(proofs.replay) if proofs.replay is not None else None
    for name, one in found.items():
        if not bool(one.isfinite().all()):
            return False
        bad = (~old[name].isfinite()).reshape(-1).nonzero().reshape(-1).tolist()
        for index in bad[:MOST]:
            got = float(one.reshape(-1)[index])
            if not bool(proofs.outcome.inputs[name].value.reshape(-1)[index].isfinite()):
                if got != 0:
                    return False  # there is no other side of infinity to measure
                continue
            if not any(_between(got, slopes(proofs.outcome, name, index, hold)) for hold in (None, held)):
                return False
    return bool(found)


def _between(got: float, both: Slopes | None) -> bool:
    sides = [side for side in (both.left, both.right) if math.isfinite(side)] if both is not None else []
    slack = 1e-3 * max([1.0, *map(abs, sides)])
    return bool(sides) and min(sides) - slack <= got <= max(sides) + slack
