"""A first number that is not finite: where it was born, and what is read of a graph's nodes to find that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradcli.training.watching.graph import kind

# How an operation is written.
WRITTEN = {"LinalgVectorNorm": "norm", "Log1P": "log1p", "SpecialXlog1Py": "xlog1py",
           "MseLoss": "mse_loss", "Addmm": "linear", "Sub": "-",
           "Div": "/", "Mul": "*", "Add": "+", "Pow": "**", "Mm": "@"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Birth:
    """A first number that is not finite: in which step, in forward or backward, of which operation and line.

    `operands` are the values that the operation met; `leaf` is set where a leaf had it before any operation. Without a
    `value` it was born somewhere before the operation.
    """

    step: int
    direction: str
    operation: str | None
    line: str | None
    value: str
    operands: tuple[str, ...] = ()
    leaf: str | None = None
    count: int = 0
    size: int = 0


Saved = list[tuple[str, Any]]


def saved(node: Any, which: tuple[str, ...]) -> Saved:
    """What a node keeps under these names."""
    found = []
    for name in which:
        try:
            value = getattr(node, name, None)
        except RuntimeError:  # freed by an earlier backward
            continue
        if value is not None:
            found.append((name.removeprefix("_saved_"), value))
    return found


def written(node: Any) -> str:
    """How an operation is called by who writes it: log for LogBackward0."""
    name = kind(node)
    return WRITTEN.get(name, "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name)))
