"""What float64 has and the dtype of a sweep has not: numbers that are 0 or not finite there alone."""

from __future__ import annotations

from collections.abc import Callable

import torch

from gradcli.engine.sweeping.narrowing import Function

LOOKS = 8_192  # points of a sweep that float64 is asked about, and pairs of points that are looked between
CHANGES = 64  # changes of what float64 knows that are looked at point by point

Holds = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
"""Whether something holds at points, from their place, value and slope."""


def lost_at(precise: Function, of: str, kind: str, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Where float64 has a number that the dtype of the sweep has not; of many points every so many are asked about."""
    places = mask.nonzero().flatten()
    step = -(-len(places) // LOOKS)
    known = precise(x[places[::step]].double())[of == "gradient"]
    found = spread(mask, places, step, known, kind)
    if step > 1:  # where what is known changes, every point is asked about
        changes = better(known, kind).diff().nonzero().flatten()[:CHANGES]
        asked = places[(changes[:, None] * step + torch.arange(1, step)).flatten()]
        found[asked] = better(precise(x[asked].double())[of == "gradient"], kind)
    found[1:-1] |= mask[1:-1] & found[:-2] & found[2:]  # a single number that float64 has not either
    return found


class Known:
    """What holds in the dtype of the sweep, and in float64 too or not."""

    def __init__(self, holds: Holds, precise: Function, of: str, kind: str) -> None:
        self.holds, self.precise, self.of, self.kind = holds, precise, of, kind

    def too(self, x: torch.Tensor, f: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
        """In float64 too."""
        return self.holds(x, f, g) & ~self._better(x)

    def alone(self, x: torch.Tensor, f: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
        """In the dtype of the sweep alone."""
        return self.holds(x, f, g) & self._better(x)

    def _better(self, x: torch.Tensor) -> torch.Tensor:
        return better(self.precise(x.double())[self.of == "gradient"], self.kind)


def spread(mask: torch.Tensor, places: torch.Tensor, step: int, known: torch.Tensor, kind: str) -> torch.Tensor:
    """Where numbers of float64 are what those of the dtype are not; each stands for `step` places."""
    found = torch.zeros_like(mask)
    found[places] = better(known, kind).repeat_interleave(step)[: len(places)]
    return found


def better(known: torch.Tensor, kind: str) -> torch.Tensor:
    """Whether numbers of float64 are none of a kind."""
    return known.isfinite() & (known != 0) if kind == "zero" else known.isfinite()
