"""What the options of `grad` add to its answer: higher derivatives, a history of .grad, scaled gradients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradcli.report import Column, Section, Table

if TYPE_CHECKING:
    import torch

Grads = tuple["torch.Tensor | None", ...]


@dataclass(frozen=True, eq=False, slots=True)
class Higher:
    """The derivatives of orders 1 to `order` by each input; None throughout where no gradient arrives.

    `elementwise` names the inputs whose k-th one is the k-th derivative of each element; for the others it is the
    gradient of the sum of the one before. `flat` names those that torch has no second derivative for, and whose first
    is constant.
    """

    order: int
    derivatives: Mapping[str, Grads]
    elementwise: frozenset[str]
    flat: frozenset[str] = frozenset()

    def members(self) -> dict[str, Any]:
        """What the JSON object gets."""
        return {"order": self.order, "derivatives": {name: list(found) for name, found in self.derivatives.items()}}

    def input_members(self, name: str) -> dict[str, Any]:
        """What the JSON object of an input gets."""
        del name
        return {}

    def columns(self) -> tuple[Column, ...]:
        """Further columns of the table, after .grad."""
        return ()

    def cells(self, name: str | None) -> tuple[Any, ...]:
        """The cells of those columns, in the row of an input, or of an output (None)."""
        del name
        return ()

    def sections(self) -> tuple[Section, ...]:
        """A row for each input and order."""
        columns = (Column("tensor"), Column("order", True), Column("derivative", True))

        def rows() -> Iterable[tuple[Any, ...]]:
            for name, found in self.derivatives.items():
                for index, derivative in enumerate(found):
                    yield name, index + 1, derivative

        return (Table(columns, rows, elements=True),)


@dataclass(frozen=True, eq=False, slots=True)
class History:
    """.grad of each input after each of several backward calls, the graph evaluated anew for each.

    `kept`: what it would have been without zero_grad(), where `.grad` was set to None before each call.
    """

    grads: Mapping[str, Grads]
    kept: Mapping[str, Grads] | None = None

    @property
    def calls(self) -> int:
        """How many times backward ran."""
        return max(map(len, self.grads.values()), default=0)

    def members(self) -> dict[str, Any]:
        """What the JSON object gets: with zero_grad() also the gradients that would have added up without it."""
        kept = {"accumulated": {name: list(found) for name, found in self.kept.items()}} if self.kept else {}
        return {"history": {name: list(found) for name, found in self.grads.items()}, **kept}

    def input_members(self, name: str) -> dict[str, Any]:
        """What the JSON object of an input gets."""
        del name
        return {}

    def columns(self) -> tuple[Column, ...]:
        """Further columns of the table."""
        return ()

    def cells(self, name: str | None) -> tuple[Any, ...]:
        """The cells of those columns."""
        del name
        return ()

    def sections(self) -> tuple[Section, ...]:
        """A row for each input and call."""
        own = Column(".grad with zero_grad()" if self.kept else ".grad", True)
        further = (Column("without zero_grad()", True),) if self.kept else ()
        columns = (Column("tensor"), Column("backward() calls", True), own, *further)

        def rows() -> Iterable[tuple[Any, ...]]:
            for name, found in self.grads.items():
                for index, grad in enumerate(found):
                    yield name, index + 1, grad, *((self.kept[name][index],) if self.kept else ())

        return (Table(columns, rows, elements=True),)


@dataclass(frozen=True, eq=False, slots=True)
class Scaling:
    """Gradients of the loss times `scale`, as backward leaves them, and what this dtype loses beside float64.

    `lost` counts, for each input, the elements that became 0, and those that became infinite or NaN, at `scale`;
    `plain` the same at scale 1. `window` holds the least and the largest power of two that keeps every
    non-zero gradient, None where none does or where it was not asked for (`searched`).
    """

    scale: float
    scaled: Mapping[str, torch.Tensor | None]
    lost: Mapping[str, Lost] | None
    plain: Mapping[str, Lost] | None
    searched: bool = False
    window: tuple[float, float] | None = None

    def members(self) -> dict[str, Any]:
        """What the JSON object gets."""
        window = {"window": list(self.window) if self.window else None} if self.searched else {}
        return {"loss_scale": self.scale, **window}

    def input_members(self, name: str) -> dict[str, Any]:
        """What the JSON object of an input gets."""
        lost = self.lost.get(name) if self.lost is not None else None
        counts = {"underflowed": lost.under if lost else None, "overflowed": lost.over if lost else None}
        return {"scaled_grad": self.scaled.get(name), **counts}

    def columns(self) -> tuple[Column, ...]:
        """Further columns of the table, after .grad."""
        return (Column("scaled .grad", True),)

    def cells(self, name: str | None) -> tuple[Any, ...]:
        """The cells of those columns, in the row of an input, or of an output (None)."""
        return (self.scaled.get(name) if name is not None else None,)

    def sections(self) -> tuple[Section, ...]:
        """Further tables."""
        return ()


@dataclass(frozen=True, slots=True)
class Lost:
    """Elements of a gradient that are not 0 in float64: of them all, those that became 0, and inf or NaN."""

    under: int
    over: int
    of: int


Extra = Higher | History | Scaling
