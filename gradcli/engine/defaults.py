"""`--dtype` and `--device` reach the tensors made inside, while torch's global default is left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from gradcli.language.program import Call, Ref
from gradcli.language.signature import fitting
from gradcli.language.values import kinds

COMPLEX_OF = {torch.float16: torch.complex32, torch.float32: torch.complex64, torch.float64: torch.complex128}
REAL_OF = {wide: real for real, wide in COMPLEX_OF.items()}


def with_defaults(
    step: Call, args: list[Any], kwargs: dict[str, Any], dtype: torch.dtype | None, device: torch.device | None
) -> dict[str, Any]:
    """The keywords of a step that makes a tensor, with this dtype and device where the text names none."""
    makes = step.function.makes
    if makes not in {"float", "numbers"}:
        return kwargs
    takes = {name for one in fitting(step.function, step.path, len(args), kwargs) for name in one.keyword_only}
    takes -= kwargs.keys()
    added: dict[str, Any] = {}
    if device is not None and "device" in takes:
        added["device"] = device
    if dtype is not None and "dtype" in takes:
        written = {kind for value in (*args, *kwargs.values()) for kind in kinds(value)}
        if complex in written:
            added["dtype"] = COMPLEX_OF.get(dtype, torch.complex64)
        elif makes == "float" or float in written:
            added["dtype"] = dtype
        if (makes == "numbers" and any(isinstance(one, Ref) for one in step.args)) or torch.Tensor in written:
            added.pop("dtype", None)
    return {**kwargs, **added}


def widened(
    step: Call,
    function: Callable[..., Any],
    args: list[Any],
    kwargs: dict[str, Any],
    result: Any,
    dtype: torch.dtype | None,
) -> Any:
    """The result in `dtype` where torch made floats of its default dtype out of whole numbers (1/arange(3))."""
    default = torch.get_default_dtype()
    if dtype in (None, default) or not isinstance(result, torch.Tensor) or result.dtype != default:
        return result
    if step.function.makes or step.function.writes or step.function.family == "conversion" or "dtype" in kwargs:
        return result
    given = list(tensors((args, kwargs)))
    if not given or any(one.is_floating_point() or one.is_complex() for one in given):
        return result

    def convert(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.to(dtype)
        return type(value)(map(convert, value)) if type(value) in (list, tuple) else value

    return function(*map(convert, args), **{name: convert(value) for name, value in kwargs.items()})


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """Every tensor in nested lists, tuples and mappings, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from tensors(one)
    elif isinstance(value, dict):
        yield from tensors(list(value.values()))
    elif isinstance(value, slice):
        yield from tensors([value.start, value.stop, value.step])


def parts_of(value: Any) -> dict[int | None, torch.Tensor]:
    """A result as a mapping of its parts: itself under None, or the items of a tuple."""
    if isinstance(value, torch.Tensor):
        return {None: value}
    if not isinstance(value, (tuple, list)):
        return {}
    return {part: one for part, one in enumerate(value) if isinstance(one, torch.Tensor)}
