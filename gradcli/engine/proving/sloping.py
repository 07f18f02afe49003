"""The slopes of the whole answer by one element of an input, on its left and on its right, in float64.

Two steps and Richardson's combination of them: what is left of curvature is known, and a difference between the sides
that is the same at both steps is a kink.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from gradcli.engine.evaluate import Swap
from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import Again, again

STEP, FINER, FINEST = 1e-4, 8.0, 1e-7

Held = Callable[[], Swap]
"""Values to go on with in the place of a step's: a swap for each evaluation."""


@dataclass(frozen=True, slots=True)
class Slopes:
    """Slopes on both sides at the finer step and beyond (`left`, `right`), and the difference at each step."""

    left: float
    right: float
    error: float
    jumps: tuple[float, float]
    scale: float

    @property
    def finite(self) -> bool:
        return math.isfinite(self.left) and math.isfinite(self.right)

    @property
    def settled(self) -> bool:
        """Whether smaller steps change next to nothing: the slopes of a root grow without end."""
        return self.error <= 1e-3 * max(self.scale, 1e-6)

    @property
    def is_kink(self) -> bool:
        """Whether the sides differ by more than errors explain, and by the same however small the step."""
        jump = abs(self.right - self.left)
        wide, narrow = self.jumps
        stays = narrow != 0 and 0.5 < wide / narrow < 2
        return self.finite and stays and jump > 10 * self.error + 1e-5 * max(abs(self.left), abs(self.right))


def slopes(outcome: Outcome, name: str, index: int, held: Held | None = None) -> Slopes | None:
    """The slopes by element `index` of an input; None where the answer cannot be evaluated around it in float64.

    `held` may put other values in the place of a step's.
    """
    base = again(outcome, wide=True, swap=held() if held is not None else None)
    if base is None or any(one.is_complex() for one in base.results):
        return None
    weights = _weights(outcome, base)
    x = float(base.leaves[name].detach().reshape(-1)[index].real)
    size = max(abs(x), 1.0)

    def moved(by: float) -> list[torch.Tensor] | None:
        def move(one: str, value: torch.Tensor) -> torch.Tensor:
            return _nudged(one == name, value, index, by)

        run = again(outcome, wide=True, move=move, swap=held() if held is not None else None)
        return _like(run, base) if run is not None else None

    before = _like(base, base) or []

    def side(by: float) -> float | None:
        after = moved(by)
        if after is None or not before:
            return None
        rise = sum(float(((a - b) * w).sum()) for a, b, w in zip(after, before, weights, strict=True))
        return rise / ((x + by) - x)

    def sides(step: float) -> tuple[float, float] | None:
        left, right = side(-step), side(step)
        return None if left is None or right is None else (left, right)

    wide, narrow = sides(STEP * size), sides(STEP * size / FINER)
    if wide is None or narrow is None:
        return None
    better = [(FINER * fine - coarse) / (FINER - 1) for coarse, fine in zip(wide, narrow, strict=True)]
    values = sum(float((one.abs() * w.abs()).sum()) for one, w in zip(before, weights, strict=True))
    noise = 8 * 2.0**-52 * values / size
    error = max(abs(a - b) for a, b in zip(better, narrow, strict=True)) / FINER + noise * FINER / STEP
    scale = max(abs(one) for one in better)
    jumps = (wide[1] - wide[0], narrow[1] - narrow[0])
    found = Slopes(better[0], better[1], error, jumps, scale)
    if found.is_kink and abs(jumps[1]) > 100 * noise / FINEST and (finest := sides(FINEST * size)) is not None:
        return replace(found, jumps=(jumps[1], finest[1] - finest[0]))  # what is rounded off close by is no kink
    return found


def _weights(outcome: Outcome, base: Again) -> list[torch.Tensor]:
    """What backward multiplies each output by."""
    counted = [one for one in base.results if one.requires_grad] or list(base.results)
    if base.upstream is not None and len(counted) == 1:
        return [base.upstream.detach().double().expand(counted[0].shape)]
    mean = outcome.request.reduce == "mean"
    return [torch.full(one.shape, 1 / max(one.numel(), 1) if mean else 1.0, dtype=torch.float64) for one in counted]


def _like(run: Again, base: Again) -> list[torch.Tensor] | None:
    """The outputs that count, without a graph."""
    chosen = [
        one.detach()
        for one, was in zip(run.results, base.results, strict=True)
        if was.requires_grad or not any(other.requires_grad for other in base.results)
    ]
    return chosen if all(one.is_floating_point() for one in chosen) else None


def _nudged(this: bool, value: torch.Tensor, index: int, by: float) -> torch.Tensor:
    if not this:
        return value
    moved = value.detach().contiguous().clone()
    moved.view(-1)[index] += by
    return moved
