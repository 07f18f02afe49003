"""Where the first NaN was born in backward: the operation whose derivative is infinite at a value that it met.

The tensors that tell so are given back while backward runs; those of such operations are kept until the step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from gradcli.training.watching.birth import Birth, saved, written
from gradcli.training.watching.graph import kind
from gradcli.training.watching.statistics import plain

# Where the derivative of an operation is infinite or undefined: a test of what it saved.
_AT_ZERO_RESULT = ("result", lambda x: x == 0)
SINGULAR: dict[str, tuple[str, Callable[[torch.Tensor], torch.Tensor]]] = {
    "Sqrt": _AT_ZERO_RESULT, "LinalgVectorNorm": _AT_ZERO_RESULT, "Norm": _AT_ZERO_RESULT, "Std": _AT_ZERO_RESULT,
    "Cdist": _AT_ZERO_RESULT, "PairwiseDistance": _AT_ZERO_RESULT,
    "Rsqrt": ("result", lambda x: ~torch.isfinite(x) | (x > 1e12)),
    "Reciprocal": ("result", lambda x: ~torch.isfinite(x) | (x.abs() > 1e18)),
    "Exp": ("result", lambda x: ~torch.isfinite(x)), "Expm1": ("result", lambda x: ~torch.isfinite(x)),
    "Log": ("self", lambda x: x.abs() < 1e-37), "Log2": ("self", lambda x: x.abs() < 1e-37),
    "Log10": ("self", lambda x: x.abs() < 1e-37), "Log1P": ("self", lambda x: x == -1),
    "Pow": ("self", lambda x: x == 0), "Div": ("other", lambda x: x.abs() < 1e-18),
    "Acos": ("self", lambda x: x.abs() >= 1), "Asin": ("self", lambda x: x.abs() >= 1),
    "Atanh": ("self", lambda x: x.abs() >= 1), "Acosh": ("self", lambda x: x <= 1),
    "Atan2": ("self", lambda x: x == 0), "Logit": ("self", lambda x: (x <= 0) | (x >= 1)),
    "Prod": ("self", lambda x: ~torch.isfinite(x)), "Sinh": ("self", lambda x: x.abs() > 88),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Suspect:
    """An operation whose derivative may be infinite, the tensor that tells, and its place among those of its kind."""

    operation: str
    kind: str
    value: torch.Tensor
    place: int
    count: int


def singular(operation: str) -> bool:
    """Whether an operation has points where its derivative is infinite."""
    return operation in SINGULAR


def suspects(nodes: Sequence[Any]) -> list[Suspect]:
    """The operations among nodes, in the order in which backward meets them, that have such points."""
    kinds = [kind(node) for node in nodes]
    left = Counter(kinds)
    found = []
    for node, name in zip(nodes, kinds, strict=True):
        left[name] -= 1
        row = SINGULAR.get(name)
        value = next((one for _, one in saved(node, (f"_saved_{row[0]}",))), None) if row is not None else None
        if not isinstance(value, torch.Tensor) or value.layout is not torch.strided or not plain(value):
            continue
        exponent = next((one for _, one in saved(node, ("_saved_exponent",))), None)
        if name == "Pow" and isinstance(exponent, (int, float)) and exponent >= 1:
            continue
        found.append(Suspect(written(node), name, value.detach(), left[name], kinds.count(name)))
    return found


def backward(found: Sequence[Suspect], step: int, line: Callable[[str, int, int], str | None]) -> Birth | None:
    """The first of them, on the way back, that met a point where its derivative is infinite."""
    for one in found:
        stored, test = SINGULAR[one.kind]
        where = test(one.value)
        count = int(where.sum())
        if count:
            point = one.value[where].reshape(-1)[0].item()
            met = f"a result of {point:.6g}" if stored == "result" else f"{point:.6g}"
            at = line(one.kind, one.place, one.count)
            return Birth(step, "backward", one.operation, at, "not finite", (met,), count=count, size=one.value.numel())
    return None
