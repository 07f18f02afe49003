"""One evaluation in several dtypes, at the same point rounded to each, and its errors against float64."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from gradcli.compared_dtypes import Error
from gradcli.engine.comparing.attempt import Attempt, attempt, not_all_refused
from gradcli.engine.comparing.departure import Departure, first_bad_gradient, first_departure
from gradcli.engine.comparing.gaps import error_of
from gradcli.engine.comparing.point import at_point, in_float64, point_of
from gradcli.engine.gradient import Outcome
from gradcli.engine.recording import Request, quiet

COARSE = 0.5  # of a number: a step that is further off has lost it, and has not only rounded it


@dataclass(frozen=True, slots=True, eq=False)
class InDtype:
    """What one dtype gave, the errors of outputs and gradients (None: not comparable), and where numbers were lost."""

    dtype: torch.dtype
    attempt: Attempt
    errors: dict[str, Error | None]
    departure: Departure | None = None
    arriving: tuple[str, float] | None = None

    @property
    def lost(self) -> bool:
        """Whether anything under- or overflowed."""
        return any(one is not None and (one.under or one.over) for one in self.errors.values())


def compare_dtypes(request: Request, dtypes: Sequence[torch.dtype]) -> tuple[list[InDtype], str | None]:
    """Evaluate a request in each dtype; and where errors are not told, the reason: `random` or `refused`.

    Raises GradcliError where torch refuses all of them.
    """
    with quiet():
        point = point_of(request, torch.float64)
        requests = [at_point(request, point, dtype) for dtype in dtypes]
    attempts = [attempt(one) for one in requests]
    not_all_refused(attempts)
    better = in_float64(request, point)
    reference = None if request.program.random else attempt(better).outcome
    found = [_judged(dtype, one, reference, better) for dtype, one in zip(dtypes, attempts, strict=True)]
    return found, "random" if request.program.random else None if reference is not None else "refused"


def _judged(dtype: torch.dtype, attempt: Attempt, reference: Outcome | None, better: Request) -> InDtype:
    outcome = attempt.outcome
    if outcome is None or reference is None:
        return InDtype(dtype, attempt, {})
    wanted, got = _named(reference), _named(outcome)
    errors = {name: error_of(one, wanted[name]) if name in wanted else None for name, one in got.items()}
    judged = InDtype(dtype, attempt, errors)
    if not judged.lost:
        return judged
    departure = first_departure(attempt.request, better, COARSE)
    return InDtype(dtype, attempt, errors, departure, None if departure else first_bad_gradient(attempt.request))


def _named(outcome: Outcome) -> dict[str, torch.Tensor]:
    """Outputs and gradients by what they are called in a comparison."""
    several = len(outcome.outputs) > 1
    values = {f"{one.label} value" if several else "value": one.value for one in outcome.outputs}
    return values | {f"{name}.grad": one.grad for name, one in outcome.inputs.items() if one.grad is not None}
