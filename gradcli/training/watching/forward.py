"""Where the first NaN or infinity was born in forward, from what the graph keeps when backward begins.

It is the first operation, in the order of recording, whose result is not finite though its operands are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from gradcli.training.watching.birth import Birth, Saved, saved, written
from gradcli.training.watching.graph import Walk, kind

FINITE_MOST = 50_000_000  # elements of one saved tensor that are looked through

_RESULTS = ("_saved_result", "_saved_output", "_saved_result0", "_saved_result1", "_saved_out")
_OPERANDS = ("_saved_self", "_saved_other", "_saved_input", "_saved_mat1", "_saved_mat2", "_saved_exponent",
             "_saved_tensor1", "_saved_tensor2", "_saved_target", "_saved_x1", "_saved_x2", "_saved_vec",
             "_saved_weight", "_saved_batch1", "_saved_batch2", "_saved_tensor", "_saved_end")  # fmt: skip

# Operations computed again from what they saved; those not here have saved their result, or show it in the next one.
AGAIN: dict[str, Callable[..., torch.Tensor]] = {
    "Log": torch.log, "Log2": torch.log2, "Log10": torch.log10, "Log1P": torch.log1p, "Acos": torch.acos,
    "Asin": torch.asin, "Acosh": torch.acosh, "Atanh": torch.atanh, "Div": torch.div, "Mul": torch.mul,
    "Pow": torch.pow, "Mm": torch.mm, "Bmm": torch.bmm, "Sinh": torch.sinh, "Cosh": torch.cosh, "Logit": torch.logit,
    "Lgamma": torch.lgamma, "Digamma": torch.digamma, "Erfinv": torch.erfinv, "Var": torch.var, "Atan2": torch.atan2,
    "Xlogy": torch.xlogy, "Addmm": torch.mm, "Fmod": torch.fmod, "Softplus": torch.nn.functional.softplus,
}  # fmt: skip


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
        operands = saved(node, _OPERANDS)
        for _, value in operands:
            if _bad(value) is not None:
                return _before(node, value, step, line, name)
        result = next((value for _, value in saved(node, _RESULTS) if _bad(value) is not None), None)
        if result is None:
            result = _again(node, operands)
        if result is None and divided is None and _by_zero(node, operands):
            divided = node
        where = _bad(result)
        if where is not None and isinstance(result, torch.Tensor):
            return Birth(
                step, "forward", written(node), line(node), _word(_first(result, where)), tuple(_met(operands, where)),
                count=int(where.sum()), size=where.numel(),
            )  # fmt: skip
    if divided is not None:
        return Birth(step, "forward", "a division", line(divided), "Inf or NaN", ("a divisor of 0",))
    last = walk.nodes[0] if walk.nodes else None
    return None if last is None else Birth(step, "forward", written(last), line(last), "a number that is not finite")


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


def _again(node: Any, operands: Saved) -> torch.Tensor | None:
    """The result of an operation, computed again from what it saved."""
    function = AGAIN.get(kind(node))
    values = dict(operands)
    if function is None:
        return None
    if kind(node) == "Var":
        return function(values["self"].detach(), correction=node._saved_correction or 0)
    wanted = ("mat1", "mat2") if kind(node) == "Addmm" else tuple(values)[:2]
    given = [values[one] for one in wanted if one in values]
    try:
        with torch.no_grad():
            return function(*given)
    except (TypeError, RuntimeError):  # it needs more than was saved
        return None


def _first(result: torch.Tensor, where: torch.Tensor) -> float:
    number = result.detach()[where].reshape(-1)[0]
    return float(number.real if number.is_complex() else number)


def _met(operands: Saved, where: torch.Tensor) -> Iterator[str]:
    """The values at the first place where the result is not finite."""
    for _, value in operands:
        if not isinstance(value, torch.Tensor):
            yield f"{value:g}" if isinstance(value, (int, float)) else str(value)
        elif value.shape == where.shape:
            yield f"{value.detach()[where].reshape(-1)[0].item():.6g}"
        elif value.numel() == 1:
            yield f"{value.detach().item():.6g}"
