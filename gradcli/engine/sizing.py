"""Whether a step may run: how much memory and work it takes, known before anything is allocated.

First a bound in plain Python (shapes.py). Only where that is above a hundredth of the budget, and no rule is exact,
is the step run on the meta device, which computes shapes and no numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch

from gradcli.engine.defaults import tensors
from gradcli.engine.memory import Budget, shown
from gradcli.engine.operations import callable_of
from gradcli.engine.shapes import BY_GROWTH, Operands, integers, most_elements, product
from gradcli.errors import GradcliError
from gradcli.language.program import Call
from gradcli.language.signature import alternatives
from gradcli.language.vocabulary import Function
from gradcli.language.vocabulary.operators import BINARY

SMALL = 1 << 19  # elements that are never worth a second look
WORK = 10**13  # multiplications that take a desktop minutes
EXACT = 0.01  # share of the budget from which the meta device is asked


def admit(step: Call, args: list[Any], kwargs: dict[str, Any], budget: Callable[[], Budget]) -> None:
    """Raise GradcliError of kind bounds where a step would take more memory or work than it may."""
    function = step.function
    if function.limits:
        _check_limits(step, args, kwargs)
    bound = product(args) if not kwargs else product([*args, *kwargs.values()])
    if bound <= SMALL and (not function.grows or (function.grows not in BY_GROWTH and bound * bound <= SMALL)):
        return
    allowed = budget()
    given = Operands(function.name, args, kwargs, list(tensors([args, kwargs])))
    elements, ruled = most_elements(function, given)
    size = max((one.element_size() for one in given.tensors), default=4)
    if not ruled and elements * size > EXACT * allowed.limit:
        elements, size = _exact(step, args, kwargs, elements, size)
    most = max([elements, *(one.numel() for one in given.tensors)])
    if most > allowed.limit:
        message = f"this step works through {most:,} elements, and {shown(allowed.limit)} of memory are all there is"
        raise GradcliError("bounds", message, span=step.span, hint="an expanded view counts by its elements")
    work = _work(function, given, elements)
    if work > WORK:
        message = f"this step takes about {work:.0e} multiplications, and at most {WORK:.0e} are done"
        raise GradcliError("bounds", message, span=step.span, hint="use smaller operands")
    _check_memory(step, given.tensors, 0 if _is_view(step) else elements * size, allowed)


def _check_memory(step: Call, given: list[torch.Tensor], made: int, allowed: Budget) -> None:
    recorded = torch.is_grad_enabled() and any(one.requires_grad for one in given)
    copies = _COPIES.get(step.function.family, 0)
    needed = made * (2 if recorded else 1) + copies * sum(one.numel() * one.element_size() for one in given)
    if needed <= EXACT * allowed.limit or needed <= (left := allowed.left()):
        return
    there = f"{shown(max(left, 0))} of the budget of {shown(allowed.limit)} are left"
    hint = f"the budget {'was given with' if allowed.asked else 'is 80 % of what is free; set it with'} --max-memory"
    raise GradcliError("bounds", f"this step needs {shown(needed)}, and {there}", span=step.span, hint=hint)


def _exact(step: Call, args: list[Any], kwargs: dict[str, Any], bound: int, size: int) -> tuple[int, int]:
    """Elements and bytes an element of a result, asked of the meta device.

    Where it cannot tell, because the shape depends on the data, the bound stands in.
    """
    memo: dict[int, torch.Tensor] = {}
    try:
        with torch.no_grad():
            shadow_args = [_shadow(value, memo) for value in args]
            shadow_kwargs = {name: _shadow(value, memo) for name, value in kwargs.items()}
            if step.function.makes or "device" in shadow_kwargs:
                shadow_kwargs["device"] = "meta"
            made = list(tensors(callable_of(step)(*shadow_args, **shadow_kwargs)))
    except (NotImplementedError, AssertionError):
        return bound, size
    except Exception as error:
        unknown = re.search(r"meta|storage size|overflow|data.dependent", str(error), re.IGNORECASE)
        return (bound, size) if unknown else (0, size)  # else torch refuses the operands: let it say so
    return sum(one.numel() for one in made), max((one.element_size() for one in made), default=size)


def _shadow(value: Any, memo: dict[int, torch.Tensor]) -> Any:
    """The same operands on the meta device."""
    if isinstance(value, torch.Tensor):
        if id(value) not in memo:
            memo[id(value)] = torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="meta")
        return memo[id(value)]
    if type(value) in (list, tuple):
        return type(value)(_shadow(one, memo) for one in value)
    return value


# Rows of these families give views of their operand, unless their name says that they copy.
_VIEWS = frozenset({"shape", "attributes", "operators"})
_COPYING = re.compile(r"repeat|tile|flip|roll|rot90|tril|triu|diag_embed|diagflat|_copy$|^[^a-z]")


def _is_view(step: Call) -> bool:
    return step.function.family in _VIEWS and not _COPYING.search(step.function.name)


# Families that copy their operands to work on them: how many times.
_COPIES = {"sorting": 2, "decompositions": 3, "linalg": 2, "fft": 1}


def _work(function: Function, given: Operands, made: int) -> float:
    """Multiplications, roughly; only for families whose work outgrows their operands."""
    count = _WORK.get(function.family)
    return count(given, made) if count and given.tensors else 0.0


def _products(given: Operands, made: int) -> float:
    """Each element of a product of two sums over the dimensions that disappear: sqrt(n m / made) of them."""
    if given.name in BINARY and given.name != "@":
        return 0.0
    total = math.prod(float(max(one.numel(), 1)) for one in given.tensors)
    return math.sqrt(total * max(made, 1)) if len(given.tensors) == 2 else 0.0


def _cubic(given: Operands, _: int) -> float:
    """Decompositions of n×n matrices cost about 10 n³."""
    return max(10.0 * one.numel() * min(one.shape[-2:] or (1,)) for one in given.tensors)


def _convolved(given: Operands, made: int) -> float:
    """Each element of the output sums over one filter."""
    if len(given.tensors) < 2 or given.tensors[1].dim() == 0:
        return 0.0
    weight = given.tensors[1]
    return float(made) * max(weight.numel() // max(weight.shape[0], 1), 1)


def _pooled(given: Operands, made: int) -> float:
    """Each place of the input begins a window."""
    match = re.search(r"pool(\d)d", given.name)
    return float(made) * float(next(integers(given.values[1:2]), 1)) ** (int(match[1]) if match else 1)


_WORK: dict[str, Callable[[Operands, int], float]] = {
    "products": _products,
    "operators": _products,
    "linalg": _cubic,
    "decompositions": _cubic,
    "convolution": _convolved,
    "pooling": _pooled,
}


def _check_limits(step: Call, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Integers that drive the cost, where they come as numbers or tensors of the evaluation."""
    lists = alternatives(step.function.signature)
    for names, value in _named(lists, args, kwargs):
        for name in names & step.function.limits.keys():
            most = step.function.limits[name]
            for number in _sizes(value):
                if number > most:
                    raise GradcliError(
                        "bounds", f"{name} of {step.function.name}() is at most {most:,} here", span=step.span,
                        hint="its cost grows with this number",
                    )  # fmt: skip


def _named(lists: Any, args: list[Any], kwargs: dict[str, Any]) -> Iterator[tuple[set[str], Any]]:
    for index, value in enumerate(args):
        yield {one.positional[index] for one in lists if index < len(one.positional)}, value
    for name, value in kwargs.items():
        yield {name}, value


def _sizes(value: Any) -> Iterator[float]:
    if isinstance(value, (int, float)):
        yield abs(value)
    elif isinstance(value, torch.Tensor) and value.numel() and not value.is_complex():
        yield float(value.detach().abs().max())
