"""Where the first NaN or infinity was born in forward, from what the graph keeps when backward begins.

It is the first operation, in the order of recording, whose result is not finite though its operands are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from gradcli.training.watching.again import MASKED, UNKEPT, again, kept, masked
from gradcli.training.watching.birth import Birth, Saved, written
from gradcli.training.watching.graph import Walk, kind

NUMBERS = ("self", "other", "exponent")  # arguments that are values where they are no tensors
FINITE_MOST = 50_000_000  # elements of one saved tensor that are looked through


def _bad(value: Any) -> torch.Tensor | None:
    """Where a tensor is not finite; None where it is."""
    if not isinstance(value, torch.Tensor) or not (value.is_floating_point() or value.is_complex()):
        return None
    if value.layout is not torch.strided or value.numel() > FINITE_MOST or value.device.type == "meta":
        return None
    where = ~torch.isfinite(value.detach())
    return where if bool(where.any()) else None


def _word(number: float) -> str:
    return "NaN" if number != number else "Inf" if number > 0 else "-Inf"


def forward(walk: Walk, step: int, line: Callable[[Any], str | None], name: Callable[[Any], str]) -> Birth | None:
    """The first operation of a graph whose result is not finite."""
    divided = None
    for node in reversed(walk.nodes):
        operands, results = kept(node)
        for _, value in operands:
            if _bad(value) is not None:
                return _before(node, value, step, line, name)
        result = next((value for _, value in results if _bad(value) is not None), None)
        if result is None:
            result = again(node)
        if result is None and divided is None and _by_zero(node, operands):
            divided = node
        where = _bad(result)
        if where is not None and isinstance(result, torch.Tensor):
            return Birth(
                step, "forward", written(node), line(node), _word(_first(result, where)),
                (MASKED,) if masked(node) else tuple(_met(operands, where)),
                count=int(where.sum()), size=where.numel(),
            )  # fmt: skip
    if divided is not None:
        return Birth(step, "forward", "a division", line(divided), "Inf or NaN", ("a divisor of 0",))
    last = walk.nodes[0] if walk.nodes else None
    return None if last is None else Birth(step, "forward", written(last), line(last), "")


def _by_zero(node: Any, operands: Saved) -> bool:
    """Whether a division kept a divisor that is 0; what it divided was not kept."""
    divisor = dict(operands).get("other")
    return kind(node) == "Div" and isinstance(divisor, torch.Tensor) and bool((divisor == 0).any())


def _before(
    node: Any, value: torch.Tensor, step: int, line: Callable[[Any], str | None], name: Callable[[Any], str]
) -> Birth:
    """An operand that is not finite already: the operation that made it, which kept nothing, or a leaf."""
    where = _bad(value)
    word = "not finite" if where is None else _word(_first(value, where))
    count, size = (0, 0) if where is None else (int(where.sum()), where.numel())
    makers = [following for following, _ in node.next_functions if following is not None]
    for one in makers:
        leaf = getattr(one, "variable", None)
        if leaf is not None and _bad(leaf) is not None:
            return Birth(step, "forward", None, line(node), word, leaf=name(leaf), count=count, size=size)
    inner = [one for one in makers if not hasattr(one, "variable")]
    if len(inner) == 1 and len(makers) == len([one for one, _ in node.next_functions]):
        return Birth(step, "forward", written(inner[0]), line(inner[0]), word, count=count, size=size)
    if not inner or any(following is None for following, _ in node.next_functions):
        return Birth(step, "forward", None, line(node), word, leaf="the data", count=count, size=size)
    maker = max(inner, key=lambda one: one._sequence_nr())
    return Birth(step, "forward", written(maker), line(maker), word, count=count, size=size)


def _first(result: torch.Tensor, where: torch.Tensor) -> float:
    number = result.detach()[where].reshape(-1)[0]
    return float(number.real if number.is_complex() else number)


def _met(operands: Saved, where: torch.Tensor) -> Iterator[str]:
    """The values at the first place where the result is not finite."""
    if not any(isinstance(value, torch.Tensor) for _, value in operands):
        yield UNKEPT
        return
    for name, value in operands:
        if not isinstance(value, torch.Tensor):
            if name in NUMBERS:
                yield f"{value:g}" if isinstance(value, (int, float)) else str(value)
        elif value.shape == where.shape:
            yield f"{value.detach()[where].reshape(-1)[0].item():.6g}"
        elif value.numel() == 1:
            yield f"{value.detach().item():.6g}"
