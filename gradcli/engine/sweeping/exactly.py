"""What many digits say of a stretch where numbers are 0 or not finite: whether they truly are, or are lost in float64.

sigmoid(40) is 1 in float64, and its slope 0; with many digits that is 4e-18.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import torch

from gradcli.engine.comparing.attempt import attempt
from gradcli.engine.comparing.point import point_of
from gradcli.engine.recording import Request, draws
from gradcli.engine.sweeping.field import Field, at_one
from gradcli.engine.sweeping.losing import better
from gradcli.engine.sweeping.stretches import Stretch

ASKED = frozenset({"nan", "infinite", "zero"})
MOST = 12  # stretches that are asked about
INNER = 0.618  # of a stretch: where is asked


def confirmed(field: Field, name: str, found: Sequence[Stretch], dtype: torch.dtype) -> list[Stretch]:
    """Stretches as many digits know them; those that are lost in the same way and touch are one."""
    asked = 0
    told: list[Stretch] = []
    for one in found:
        if one.kind in ASKED and one.points > 1 and asked < MOST and not draws(field.request):
            asked += 1
            place = torch.tensor([one.low + (one.high - one.low) * INNER], dtype=dtype)
            number = _exact(at_one(field.request, {name: place}), name if one.of == "gradient" else None)
            if number is not None and bool(better(number, one.kind)):
                one = one._replace(kind="lost", digits=True)
        told.append(one)
    return list(_joined(told, 4 * torch.finfo(dtype).eps))


def _exact(request: Request, name: str | None) -> torch.Tensor | None:
    """The value, or the gradient by an input, at one point, rounded to float64; None where nothing is known of it."""
    from gradcli.engine.comparing.truth import exact_truth  # mpmath: most sweeps do without

    with suppress(Exception):  # what many digits cannot follow
        known = exact_truth(attempt(request._replace(notes=False)), point_of(request, request.dtype))
        if known is None:
            return None
        found: torch.Tensor | None
        if name is None:
            found = torch.stack([one.sum() for one in known.numbers.outputs if one is not None]).sum()
        else:
            found = known.numbers.grads.get(name)
        return None if found is None or bool(found.isnan().any()) else found.reshape(())
    return None


def _joined(found: Sequence[Stretch], eps: float) -> Iterator[Stretch]:
    """Stretches of which lost ones that touch are one."""
    last: Stretch | None = None
    for one in sorted(found, key=lambda each: (each.of == "gradient", each.was, each.low)):
        if last is not None and _touch(last, one, eps):
            last = last._replace(high=one.high, points=last.points + one.points, digits=last.digits or one.digits)
            continue
        if last is not None:
            yield last
        last = one
    if last is not None:
        yield last


def _touch(one: Stretch, other: Stretch, eps: float) -> bool:
    """Whether two stretches are lost in the same way, the second one from where the first one ends."""
    alike = one.kind == other.kind == "lost" and (one.of, one.was) == (other.of, other.was)
    return alike and other.low - one.high <= eps * max(abs(other.low), abs(one.high))
