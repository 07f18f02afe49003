"""A sweep: the points, the numbers at each, and how they were come by."""

from __future__ import annotations

from typing import NamedTuple

from gradcli.engine.recording import Request, quiet
from gradcli.engine.sweeping.across import across
from gradcli.engine.sweeping.choosing import field_of
from gradcli.engine.sweeping.field import Field, again
from gradcli.engine.sweeping.finding import along, refusals
from gradcli.engine.sweeping.numbers import Numbers
from gradcli.engine.sweeping.points import Axis, axes_of
from gradcli.findings import Finding


class Swept(NamedTuple):
    """The axes of a sweep, the numbers at its points in row-major order, and the field they come from."""

    axes: tuple[Axis, ...]
    numbers: Numbers
    field: Field


def sweep(request: Request) -> Swept:
    """Evaluate a request at all points of its swept inputs.

    Raises GradcliError: of kind bounds where there are too many points, of kind torch where torch refuses them all.
    """
    axes = axes_of(request)
    field = field_of(request, axes)
    return Swept(axes, field.over(axes), field)


def findings_of(swept: Swept) -> tuple[Finding, ...]:
    """What there is to be found, and what torch refused."""
    axes, numbers, field = swept
    refused = tuple(refusals(axes, field))
    with quiet():
        if len(axes) == 1:
            return (*along(axes[0], numbers, again(field, field.request)), *refused)
        return (*across(axes, numbers, again(field, field.request)), *refused)
