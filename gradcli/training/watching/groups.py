"""What is written down of each optimizer while a training runs: its steps, and what happened between them."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from threading import get_ident
from typing import Any

from gradcli.training.watching.records import Record
from gradcli.training.watching.series import Series


@dataclass(slots=True, eq=False)
class Group:
    """The parameters of one optimizer; or, without an optimizer, all leaves that backward reached.

    `thread` is the one that steps it: elsewhere its gradients are not read, as they may change at that moment.
    """

    label: str | None
    ref: weakref.ref[Any] | None = None
    records: list[Record] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    steps: int = 0
    measured: int = 0
    detailed: int = 0
    due: int = 1  # the next step with all details
    next: int = 0  # the next step at which anything is to be measured
    waiting: bool = True  # some of its parameters had no gradient yet
    sentinel: int = -1  # the place of the parameter whose gradient every step is asked for NaN and Inf
    backwards: int = 0  # passes since the last step
    clean: int = 0  # the last step at which every gradient was seen to be finite
    unclean: list[bool] = field(default_factory=list)
    evaluations: int = 0  # of closures, in steps with several of them
    emptied: int = 0  # evaluations that began with cleared gradients
    norms: Series = field(default_factory=Series)  # of all its gradients together
    idle: int = 0  # steps without a backward pass before them
    clip_bad: float | None = None  # a norm that was not finite, since the last step
    clip_wiped: list[tuple[int, str]] = field(default_factory=list)  # steps taken after such a norm
    clip_ready: float | None = None  # the scale that clipping met gradients at, since the last step
    clip_scaled: int = 0
    clip_scale: float | None = None
    thread: int = field(default_factory=get_ident)
    told: dict[str, Any] = field(default_factory=dict)  # of the last step

    @property
    def here(self) -> bool:
        """Whether it is this thread that steps it."""
        return self.thread == get_ident()

    @property
    def optimizer(self) -> Any:
        """The optimizer, while it is there."""
        return None if self.ref is None else self.ref()

    def measure(self, norm: float) -> None:
        """Note the norm of all gradients together at this step."""
        self.norms.note(self.measured, self.steps, norm)
