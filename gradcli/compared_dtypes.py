"""What an evaluation gave in several dtypes, side by side: values, gradients, and their errors against float64."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from gradcli.compared import refused_of, results_of
from gradcli.report import Column, Table
from gradcli.results import TensorView

if TYPE_CHECKING:
    import torch

DIGITS = 3  # of an error in a table


class Error(NamedTuple):
    """The largest error of a tensor against float64, in ulps of its dtype and relative, and its element.

    `under` counts elements that became 0, `over` those that are no longer finite, of `of` that are neither in float64.
    """

    ulps: float | None
    relative: float
    worst: int | None
    under: int
    over: int
    of: int


@dataclass(frozen=True, eq=False, slots=True)
class DtypeColumn:
    """One dtype: outputs (none where torch refused), gradients, and errors by what they are of (None: not told)."""

    name: str
    outputs: tuple[TensorView, ...]
    grads: Mapping[str, torch.Tensor | None]
    errors: Mapping[str, Error | None]
    refused: str | None

    def numbers(self) -> dict[str, torch.Tensor | None]:
        """Values and gradients by what they are called."""
        several = len(self.outputs) > 1
        values = {f"{one.label} value" if several else "value": one.value for one in self.outputs}
        return values | {f"{name}.grad": grad for name, grad in self.grads.items()}

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        errors = {
            name: None if one is None else {
                "ulps": one.ulps, "relative": one.relative, "worst": one.worst, "underflowed": one.under,
                "overflowed": one.over, "of": one.of,
            }
            for name, one in self.errors.items()
        }  # fmt: skip
        return {
            "name": self.name, **results_of(self.outputs, TensorView.facts), "grads": dict(self.grads),
            "errors": errors, "refused": self.refused,
        }  # fmt: skip


def tables_of(columns: Sequence[DtypeColumn]) -> tuple[Table, ...]:
    """For each value and gradient a row, and below it its errors; a column for each dtype.

    Where there are lists, which take much room, the errors have a table of their own.
    """
    names = list(dict.fromkeys(name for one in columns for name in one.numbers()))
    lists = any(one is not None and one.dim() for column in columns for one in column.numbers().values())
    heading = (Column("dtype"), *(Column(one.name, True) for one in columns))

    def numbers() -> Iterator[tuple[Any, ...]]:
        for name in names:
            yield from _values(columns, name)

    def errors() -> Iterator[tuple[Any, ...]]:
        for name in names:
            yield from _errors(columns, name)
        yield from _lost(columns)

    def together() -> Iterator[tuple[Any, ...]]:
        for name in names:
            yield from _values(columns, name)
            yield from _errors(columns, name)
        yield from _lost(columns)

    parts = (numbers, errors) if lists else (together,)
    return tuple(Table(heading, part, elements=True) for part in parts)


def _values(columns: Sequence[DtypeColumn], name: str) -> Iterator[tuple[Any, ...]]:
    yield name, *(one.numbers().get(name, "") for one in columns)


def _errors(columns: Sequence[DtypeColumn], name: str) -> Iterator[tuple[Any, ...]]:
    found = [one.errors.get(name) for one in columns]
    if any(one is not None for one in found):
        yield f"{name} ulps", *(_told(one.ulps if one else None) for one in found)
        yield f"{name} relative", *(_told(one.relative if one else None) for one in found)


def _lost(columns: Sequence[DtypeColumn]) -> Iterator[tuple[Any, ...]]:
    """What under- and overflowed in each dtype, and what torch refused."""
    for label, counts in (
        ("underflowed", [sum(one.under for one in column.errors.values() if one) for column in columns]),
        ("overflowed", [sum(one.over for one in column.errors.values() if one) for column in columns]),
    ):
        if any(counts):
            yield label, *counts
    if any(one.refused for one in columns):
        yield "refused", *(refused_of(one) for one in columns)


def _told(error: float | None) -> str:
    return "" if error is None else f"{error:.{DIGITS}g}"
