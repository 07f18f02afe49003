"""Which points of a sweep a table shows: the ends, the extremes, zeros of the gradient, what is next to a finding."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from gradcli.swept import Sweep

ALL = 21  # points that are shown whole
EVEN = 9  # rows evenly spread over a longer sweep
FOUND = 12  # rows next to findings


def sampled(result: Sweep) -> list[int]:
    """The places of the rows to show, in row-major order."""
    count = result.points
    if count <= ALL:
        return list(range(count))
    places = {round(step * (count - 1) / (EVEN - 1)) for step in range(EVEN)}
    places.update(_extremes(result.value))
    places.update(islice(_found(result), FOUND))
    return sorted(places)


def _extremes(value: torch.Tensor) -> Iterator[int]:
    """Where the value is least and greatest, of what is finite."""
    if value.is_complex():
        return
    flat = value.reshape(-1)
    flat = flat.float() if flat.itemsize < 4 else flat
    for chosen, worst in ((flat.argmin, float("inf")), (flat.argmax, float("-inf"))):
        place = int(chosen())
        if not _finite(flat[place]) and flat.is_floating_point():
            known = flat.nan_to_num(nan=worst, posinf=worst, neginf=worst)
            place = int(known.argmin() if worst > 0 else known.argmax())
        yield place


def _finite(number: Any) -> bool:
    return bool(number.isfinite())


def _found(result: Sweep) -> Iterator[int]:
    """The points next to each finding that is at one place."""
    for one in result.findings:
        flat = 0
        for name, values in result.at.items():
            place = one.where[name]
            if isinstance(place, tuple):
                break
            flat = flat * len(values) + int((values.double() - place).abs().argmin())
        else:
            yield flat
