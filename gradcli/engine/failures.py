"""torch's own refusals as facts: its message, the step that failed, the shapes of the operands."""

from __future__ import annotations

import re
from typing import Any

import torch

from gradcli.engine.memory import shown
from gradcli.engine.operations import brief, shape_text
from gradcli.errors import GradcliError, Span
from gradcli.language.program import Call

_ALLOCATION = re.compile(
    r"can't allocate memory|out of memory|not enough memory|invalid buffer size|bad_alloc|could not allocate|"
    r"[Ss]torage size calculation overflowed|multiplication overflow"
)
_ASKED = re.compile(r"tried to allocate (\d+) bytes")
_NOISE = re.compile(
    r"^\(eval\)|Exception raised from .*|\nThe above operation failed.*|\* \(.*|"
    r"Hint: the backtrace further above.*|\s*Hint: enable anomaly detection.*|\s*\[.*?\] at entry.*",
    re.DOTALL,
)


def torch_message(error: BaseException) -> str:
    """The first sentence or two of torch's text, on one line."""
    text = _NOISE.sub("", str(error)).strip() or type(error).__name__
    line = " ".join(text.split())
    return line if len(line) <= 400 else line[:399] + "…"


def step_failure(step: Call, args: list[Any], kwargs: dict[str, Any], error: Exception) -> Exception:
    """The error of a step; gradcli's own pass through."""
    if isinstance(error, GradcliError):
        return error
    text = torch_message(error)
    if _ran_out(error):
        return _too_large(error, step.span)
    given = [value for value in (*args, *kwargs.values()) if isinstance(value, (torch.Tensor, list, tuple))]
    operands = [_operand(value) for value in given]
    hint = f"its operands: {', '.join(operands)}" if operands else None
    return GradcliError("torch", f"torch: {text}", span=step.span, hint=hint)


def _operand(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        kind = "" if value.is_floating_point() else f" {str(value.dtype).removeprefix('torch.')}"
        return f"{shape_text(value.shape) if value.dim() else 'one number'}{kind}"
    parts = [_operand(one) for one in value[:4] if isinstance(one, torch.Tensor)]
    return f"[{'; '.join(parts)}{'; …' if len(value) > 4 else ''}]" if parts else brief(value)


def backward_failure(error: Exception, span: Span) -> GradcliError:
    """torch's refusal of a backward pass, under the expression that it went back from."""
    if _ran_out(error):
        return _too_large(error, span)
    return GradcliError("torch", f"torch: {torch_message(error)}", span=span)


def _ran_out(error: Exception) -> bool:
    return isinstance(error, MemoryError) or _ALLOCATION.search(str(error)) is not None


def _too_large(error: Exception, span: Span) -> GradcliError:
    """Memory that could not be had, though no rule foresaw it."""
    asked = _ASKED.search(str(error))
    more = f": torch asked for {shown(int(asked[1]))} in one piece" if asked else ""
    hint = "use smaller operands; --max-memory sets what may be taken"
    return GradcliError("bounds", f"this needs more memory than there is{more}", span=span, hint=hint)
