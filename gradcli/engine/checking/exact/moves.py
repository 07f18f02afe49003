"""Operations that only move numbers: torch moves their places, and the numbers follow."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import torch

from gradcli.engine.checking.exact.array import Array
from gradcli.engine.checking.exact.number import Number, Unknown
from gradcli.engine.nested import mapped
from gradcli.engine.operations import callable_of
from gradcli.language.program import Call

_FAMILIES = frozenset({"shape", "joining", "attributes"})
_NAMES = frozenset(
    (
        "where gather index_select take take_along_dim masked_select scatter index_copy index_fill masked_fill "
        "masked_scatter fill select_scatter slice_scatter diagonal_scatter pad constant_pad_nd pixel_shuffle "
        "pixel_unshuffle channel_shuffle"
    ).split()
)
_SORTS = frozenset({"sort", "msort", "topk", "kthvalue"})
_VALUES = frozenset({"input", "self", "other", "value", "src"})  # parameters whose numbers are values, not places


def moves(step: Call) -> bool:
    """Whether a step only moves numbers."""
    name = step.function.name
    return step.style == "index" or step.function.family in _FAMILIES or name in _NAMES or name in _SORTS


def moved(step: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The numbers where the step puts them; place 0 stands for a zero that it puts in."""
    if step.function.name in _SORTS:
        return _sorted(step, args, kwargs)
    if kwargs.get("reduce") is not None or kwargs.get("mode", "constant") != "constant":
        raise Unknown
    pool: list[Number] = [Number(mp.mpf(0))]

    def placed(numbers: list[Number], shape: tuple[int, ...]) -> torch.Tensor:
        start = len(pool)
        pool.extend(numbers)
        return (torch.arange(len(numbers)) + start).reshape(shape)

    def places(value: Any) -> Any:
        if isinstance(value, Array):
            return placed(value.items, value.shape)
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            return placed([Number(mp.mpf(one)) for one in value.reshape(-1).tolist()], tuple(value.shape))
        return value

    def operand(value: Any, counts: bool) -> Any:
        if counts and isinstance(value, (int, float)):
            return placed([Number(mp.mpf(value))], ())
        return mapped(places, value)

    counting = step.function.name in _NAMES
    names = step.function.signature.split(" | ")[0].strip("()").split(", ")
    words = [operand(one, counting and _is_value(names, k)) for k, one in enumerate(args)]
    given = {name: operand(one, counting and name in _VALUES) for name, one in kwargs.items()}
    return _taken(callable_of(step)(*words, **given), pool)


def _is_value(names: list[str], index: int) -> bool:
    return index < len(names) and names[index].partition("=")[0] in _VALUES


def _taken(found: Any, pool: list[Number]) -> Any:
    """The numbers at the places that torch gives; sizes and other facts as they are."""
    if isinstance(found, torch.Tensor) and found.dtype == torch.int64:
        return Array(tuple(found.shape), [pool[index] for index in found.reshape(-1).tolist()])
    if isinstance(found, (int, torch.Size, torch.dtype, torch.device)):
        return found
    if isinstance(found, (tuple, list)) and all(isinstance(one, torch.Tensor) for one in found):
        return tuple(_taken(one, pool) for one in found)
    raise Unknown


def _sorted(step: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The numbers in the order that float64 has them in; several equal ones have no order."""
    operand, *rest = args
    values = operand.doubles()
    if len(set(values.reshape(-1).tolist())) < values.numel():
        raise Unknown
    found = callable_of(step)(values, *rest, **kwargs)
    places = {value: place for place, value in enumerate(values.reshape(-1).tolist())}
    taken = found if isinstance(found, torch.Tensor) else found[0]
    chosen = operand.at(torch.tensor([places[one] for one in taken.reshape(-1).tolist()]).reshape(taken.shape))
    return chosen if isinstance(found, torch.Tensor) else {"values": chosen, "indices": found[1]}
