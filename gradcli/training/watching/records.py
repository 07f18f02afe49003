"""What is written down of each parameter while a training runs: counts, norms, samples. No tensor of the user's."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import get_ident
from typing import Any

import torch

HALF_LIKE = (torch.float16, torch.bfloat16)
KEPT = 64  # norms of a parameter that are kept; then every other one is dropped


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
    norms: list[tuple[int, float]] = field(default_factory=list)
    spacing: int = 1
    first: float | None = None
    last: float | None = None
    low: float = math.inf
    high: float = 0.0
    mean: float | None = None
    zeros: float | None = None
    detailed: int = 0
    living: torch.Tensor | None = None  # of each unit, whether its gradient was ever not zero
    pushed: torch.Tensor | None = None  # of each unit, whether its bias alone is far below what its weights reach
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
    normed: bool = False  # batch normalization stands between it and its activation
    attribute: bool = False  # a plain tensor that a module has as an attribute
    met: int = 0  # the last step at which it was reached, of a plain tensor
    total: float | None = None  # the sum of its elements then
    moved: bool = False  # that has changed: the script steps it by hand
    kept: int = 0  # steps at which a plain tensor still held the gradient of the one before
    cleared: int = 0  # those at which it did not
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
        if self.measured % self.spacing == 0:
            self.norms.append((step, norm))
        if len(self.norms) > KEPT:
            del self.norms[1::2]
            self.spacing *= 2


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
    norms: list[tuple[int, float]] = field(default_factory=list)  # of all its gradients together
    spacing: int = 1
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
        if self.measured % self.spacing == 0:
            self.norms.append((self.steps, norm))
        if len(self.norms) > KEPT:
            del self.norms[1::2]
            self.spacing *= 2


class Book:
    """All records, by the identity of their tensor, and all groups."""

    def __init__(self) -> None:
        self._records: dict[int, Record] = {}
        self.all: list[Record] = []
        self.groups: dict[int, Group] = {}
        self.free = Group(None)

    def record(self, leaf: torch.Tensor) -> Record:
        """The record of a leaf, a new one where it is not known."""
        found = self._records.get(id(leaf))
        if found is not None and found.ref() is leaf:
            return found
        made = Record(
            weakref.ref(leaf), tuple(leaf.shape), leaf.dtype, str(leaf.device), isinstance(leaf, torch.nn.Parameter),
            place=len(self.all), requires_grad=leaf.requires_grad,
        )  # fmt: skip
        self._records[id(leaf)] = made
        self.all.append(made)
        return made

    def known(self, leaf: torch.Tensor) -> Record | None:
        """The record of a leaf where there is one."""
        found = self._records.get(id(leaf))
        return found if found is not None and found.ref() is leaf else None

    def keep(self, record: Record) -> None:
        """Put a leaf that no optimizer holds to the others; to those of the first thread that has any."""
        if not self.free.records:
            self.free.thread = get_ident()
        if self.free.here and record not in self.free.records:
            self.free.records.append(record)

    def group(self, optimizer: Any) -> Group:
        """The group of an optimizer, its records those of the parameters that it holds now."""
        found = self.groups.get(id(optimizer))
        if found is None or found.optimizer is not optimizer:
            label = type(optimizer).__name__
            same = sum(
                one.label is not None and one.label.partition(" ")[0] == label for one in list(self.groups.values())
            )
            found = Group(f"{label} {same + 1}" if same else label, weakref.ref(optimizer))
            key = id(optimizer)
            if key in self.groups:  # an optimizer that is gone had this identity
                self.groups[-len(self.groups) - 1] = self.groups.pop(key)
            self.groups[key] = found
        return found

    def hold(self, group: Group, params: list[torch.Tensor]) -> None:
        """Bring the records of a group up to date with the optimizer's parameters."""
        ids = list(map(id, params))
        if ids == group.ids and all(one.ref() is p for one, p in zip(group.records, params, strict=True)):
            return
        group.records = [self.record(one) for one in params]
        group.ids = ids
        group.waiting, group.next = True, 0
        for one in group.records:
            one.optimizer = group.label

    def here(self) -> list[Group]:
        """The groups of optimizers that are stepped in this thread."""
        return [one for one in list(self.groups.values()) if one.here]

    def every(self) -> Iterator[Group]:
        """Groups of optimizers, then that of leaves that no optimizer holds."""
        yield from list(self.groups.values())
        yield self.free
