"""What each origin of a gradient that is not finite is: a masked branch, an infinite slope, a product 0 × inf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.losing import Lost, lost
from gradcli.engine.proving.masking import excluded
from gradcli.engine.proving.origins import Origin, origins
from gradcli.engine.proving.replay import Replay
from gradcli.engine.proving.sloping import Slopes, slopes

Kind = Literal["degenerate", "masked", "narrow", "product", "slope"]


@dataclass(frozen=True, slots=True)
class Cause:
    """An origin and what it is; `lost`: numbers that this dtype lost before it; `slopes`: of one spoiled element."""

    kind: Kind
    origin: Origin
    lost: Lost | None = None
    slopes: Slopes | None = None
    name: str = ""
    index: int = 0


def causes(
    outcome: Outcome, replay: Replay, wide: Replay | None, true: dict[str, torch.Tensor]
) -> list[Cause]:  # fmt: skip
    """Every cause of what is not finite in the gradients, each once; `true`: those in float64."""
    return [_cause(outcome, replay, wide, true, origin) for origin in origins(replay)]


def _cause(
    outcome: Outcome, replay: Replay, wide: Replay | None, true: dict[str, torch.Tensor], origin: Origin
) -> Cause:
    name, mask = next(iter(origin.spoils.items()))
    index = int(mask.reshape(-1).to(torch.uint8).argmax())
    if repeated(origin.call.value) is not None:
        return Cause("degenerate", origin, name=name, index=index)
    value = origin.call.value
    if origin.zeros is not None and excluded(replay, origin.call.index, origin.zeros, value):
        return Cause("masked", origin, name=name, index=index)
    if wide is not None and all(
        bool(true[one].isfinite()[spoiled].all()) for one, spoiled in origin.spoils.items() if one in true
    ):
        before = [one for one in lost(replay) if one.index <= origin.call.index]
        return Cause("narrow", origin, before[0] if before else None, name=name, index=index)
    found = slopes(outcome, name, index)
    if origin.zeros is not None:
        kind: Kind = "product"
    elif not origin.nan:
        kind = "slope"
    else:
        kind = "product"
    return Cause(kind, origin, slopes=found, name=name, index=index)


def repeated(value: object) -> float | None:
    """A number that occurs twice in a vector among the parts of a decomposition; None where none does."""
    if not isinstance(value, tuple):
        return None
    for one in value:
        if isinstance(one, torch.Tensor) and one.dim() >= 1 and not one.is_complex() and one.is_floating_point():
            if one.dim() != min(other.dim() for other in value if isinstance(other, torch.Tensor)):
                continue
            if all(one.dim() == other.dim() for other in value if isinstance(other, torch.Tensor)):
                continue
            ranked = one.detach().sort(-1).values
            near = ranked.diff(dim=-1).abs() <= 4 * torch.finfo(one.dtype).eps * ranked[..., 1:].abs()
            if bool(near.any()):
                return float(ranked[..., 1:][near][0])
    return None
