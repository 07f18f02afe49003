"""Whether a step's result depends on the values of its operands, shown by replacing them.

Random replacements of two sizes, all large, all small, all zero: fewer of them leave a comparison unchanged by chance.
"""

from __future__ import annotations

from typing import Any

import torch

from gradcli.engine.defaults import tensors
from gradcli.engine.nested import mapped
from gradcli.engine.operations import callable_of, operand_value
from gradcli.language.program import Call


def depends(step: Call, values: list[Any], live: list[int]) -> bool:
    """Whether the result of a step changes with the values of the earlier steps `live`, on ten replacements."""
    if any(isinstance(values[ref], tuple) for ref in live):
        return True
    if step.style in {"attribute", "field"} or step.function.random or step.function.name == "detach":
        return step.function.name not in {"shape", "ndim", "dtype", "device", "requires_grad", "is_leaf", "grad_fn"}
    try:
        first = _replayed(step, values)
        for trial in range(10):
            changed = list(values)
            for ref in live:
                changed[ref] = _replaced(values[ref], trial)
            if not _same(first, _replayed(step, changed)):
                return True
    except Exception:
        return True
    return False


def _replayed(step: Call, values: list[Any]) -> Any:
    with torch.no_grad():
        args = [mapped(_detached, operand_value(operand, values)) for operand in step.args]
        kwargs = {name: mapped(_detached, operand_value(operand, values)) for name, operand in step.kwargs}
        return callable_of(step)(*args, **kwargs)


def _detached(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def _replaced(value: Any, trial: int) -> Any:
    if isinstance(value, (list, tuple)):
        return [_replaced(one, trial) for one in value]
    if not isinstance(value, torch.Tensor) or not (value.is_floating_point() or value.is_complex()):
        return value
    constant = {0: 100.0, 1: -100.0, 9: 0.0}.get(trial)
    if constant is not None:
        return torch.full_like(value, constant)
    generator = torch.Generator().manual_seed(trial)
    noise = torch.randn(value.shape, generator=generator, dtype=torch.float64).to(value.dtype)
    return value.detach() + noise * (0.3 if trial % 2 else 10.0)


def _same(first: Any, second: Any) -> bool:
    one, other = list(tensors(first)), list(tensors(second))
    if not one and not other:
        return bool(first == second)
    return len(one) == len(other) and all(
        a.shape == b.shape and torch.equal(torch.nan_to_num(a.detach()), torch.nan_to_num(b.detach()))
        for a, b in zip(one, other, strict=True)
    )
