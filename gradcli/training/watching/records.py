"""What is written down of each parameter while a training runs: counts, norms, samples. No tensor of the user's."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass, field

import torch

from gradcli.training.watching.series import Series


@dataclass(slots=True, eq=False)
class Record:
    """One leaf: facts of it, and what its gradients were."""

    ref: weakref.ref[torch.Tensor]
    shape: tuple[int, ...]
    dtype: torch.dtype
    device: str
    parameter: bool  # an nn.Parameter, not a plain tensor
    name: str | None = None
    place: int = 0  # in the order in which it became known
    requires_grad: bool = True
    steps: int = 0
    none: int = 0
    zero: int = 0
    nonfinite: int = 0
    measured: int = 0
    norms: Series = field(default_factory=Series)
    first: float | None = None
    last: float | None = None
    low: float = math.inf
    high: float = 0.0
    mean: float | None = None
    zeros: float | None = None
    detailed: int = 0
    living: torch.Tensor | None = None  # of each unit, whether its gradient was ever not zero
    looks: int = 0  # steps at which that was seen
    updates: list[float] = field(default_factory=list)
    lost: list[float] = field(default_factory=list)
    moved_frozen: int = 0
    given: bool = False  # it had a gradient at some step, measured or not
    passing: bool = False  # it was gone before the end: made for a moment
    reached: int = 0  # backward passes that were walked and led here
    order: int | None = None  # the sequence number of the node that uses it: small near the input
    use: str = ""  # the operation that uses it as a weight
    gate: str | None = None  # the activation behind it that can be exactly flat
    rows: int = 0  # samples that went through it at the last look
    stale: bool = False  # its module is gone, or holds another tensor under that name
    bad_first: int | None = None  # the first step where it was not finite
    optimizer: str | None = None
    rank: int = 1 << 30  # its place among the parameters of its model
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.size = math.prod(self.shape)

    def measure(self, step: int, norm: float) -> None:
        """Count a gradient of this norm."""
        self.measured += 1
        if not math.isfinite(norm):
            self.nonfinite += 1
            if self.bad_first is None:
                self.bad_first = step
            return
        self.zero += norm == 0
        if self.first is None:
            self.first = norm
        self.last, self.low, self.high = norm, min(self.low, norm), max(self.high, norm)
        self.norms.note(self.measured, step, norm)
