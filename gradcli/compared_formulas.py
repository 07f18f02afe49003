"""What formulas that should be the same gave, side by side: a row a formula, and what is right where that is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradcli.compared import plain_text, results_of
from gradcli.report import LABEL, Column, Fields, Section, Table
from gradcli.results import TensorView

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, eq=False, slots=True)
class FormulaColumn:
    """One formula: outputs (none where torch refused), gradients, the inputs that it does not use, whether it is right.

    `right` is None where that is not known. `label` is what a table calls it.
    """

    name: str
    label: str
    outputs: tuple[TensorView, ...]
    grads: Mapping[str, torch.Tensor | None]
    unused: tuple[str, ...]
    right: bool | None
    refused: str | None

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        return {
            "name": self.name, **results_of(self.outputs, TensorView.facts), "grads": dict(self.grads),
            "unused": list(self.unused), "right": self.right, "refused": self.refused,
        }  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class Reference:
    """What is right: the outputs, one for each of a formula, and the gradients, as `exact` or `float64` has them."""

    by: str
    outputs: tuple[torch.Tensor, ...]
    grads: Mapping[str, torch.Tensor | None]

    def facts(self) -> dict[str, Any]:
        """The object of the JSON format."""
        return {"by": self.by, "outputs": list(self.outputs), "grads": dict(self.grads)}


def labels_of(texts: Sequence[str]) -> tuple[str, ...]:
    """What a table calls each formula: its text where that is one short line, else its number."""
    plain = list(map(plain_text, texts))
    return tuple(
        one if len(one) <= LABEL and "\n" not in text.strip() and plain.count(one) == 1 else f"formula {number}"
        for number, (one, text) in enumerate(zip(plain, texts, strict=True), 1)
    )


def sections_of(columns: Sequence[FormulaColumn], reference: Reference | None) -> tuple[Section, ...]:
    """A row for each formula, below them what is right; and the texts that are too long for a row."""
    parts = max(len(one.outputs) for one in columns)
    names = list(dict.fromkeys(name for one in columns for name in one.grads))
    values = [f"value {index}" for index in range(1, parts + 1)] if parts > 1 else ["value"]
    headings = (*values, *(f"{name}.grad" for name in names))

    def rows() -> Iterator[tuple[Any, ...]]:
        for one in columns:
            outputs: list[Any] = [view.value for view in one.outputs]
            outputs += ["refused" if one.refused else ""] * (parts - len(outputs))
            yield one.label, *outputs, *(one.grads.get(name) if one.outputs else "" for name in names)
        if reference is not None:
            outputs = list(reference.outputs) + [""] * (parts - len(reference.outputs))
            yield BY[reference.by], *outputs, *(reference.grads.get(name, "") for name in names)

    long = [(one.label, plain_text(one.name)) for one in columns if one.label != one.name.strip()]
    table = Table((Column("formula"), *(Column(one, True) for one in headings)), rows, elements=True)
    return (Fields(lambda: long), table) if long else (table,)


BY = {"exact": "exactly", "float64": "in float64"}
