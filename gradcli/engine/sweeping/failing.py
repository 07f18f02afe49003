"""How numbers fail at single points: NaN, infinite, 0, and slopes so small that a step along them changes nothing."""

from __future__ import annotations

import math

import torch

from gradcli.engine.sweeping.losing import Holds

SMALL = 2.0**-23  # a slope that moves nothing by as much as float32 rounds off


def rules(of: str, values: torch.Tensor) -> dict[str, Holds]:
    """What is looked for in values, or in slopes: what their least and their greatest do not rule out."""
    if not len(values):
        return {}
    least, most = (float(one) for one in values.aminmax())  # NaN where there is any
    failing = not math.isfinite(most - least)

    def chosen(f: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
        return f if of == "value" else g

    found: dict[str, Holds] = {}
    if failing:
        found["nan"] = lambda _, f, g: chosen(f, g).isnan()
        found["infinite"] = lambda _, f, g: chosen(f, g).isinf()
    if failing or least <= 0 <= most:
        found["zero"] = lambda _, f, g: chosen(f, g) == 0
    if of == "gradient":
        tiny = least_slope(values) if failing else _least(values.dtype, max(most, -least))
        if failing or (least < tiny and most > -tiny):
            found["vanishing"] = lambda x, _, g: vanishes(x, g, tiny)
    return found


def least_slope(slopes: torch.Tensor) -> float:
    """What a slope must have to change anything, seen from the steepest."""
    return _least(slopes.dtype, float(slopes.abs().nan_to_num(nan=0.0, posinf=0.0).max()))


def _least(dtype: torch.dtype, steepest: float) -> float:
    kind = torch.finfo(dtype)
    return max(min(kind.eps, SMALL), kind.tiny) * min(steepest, 1.0)


def vanishes(x: torch.Tensor, slopes: torch.Tensor, least: float) -> torch.Tensor:
    """Where slopes are not 0, and a step along them changes nothing."""
    size = slopes.abs()
    return (size < least) & (slopes != 0) & (size * x.abs().clamp(min=1.0) < least)
