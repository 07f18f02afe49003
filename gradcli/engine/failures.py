"""torch's own refusals as facts: its message, the step that failed, the shapes of the operands."""

from __future__ import annotations

import re
from typing import Any

import torch

from gradcli.engine.operations import shape_text
from gradcli.errors import GradcliError, Span
from gradcli.language.program import Call

_ALLOCATION = re.compile(
    r"can't allocate memory|out of memory|not enough memory|invalid buffer size|[Ss]torage size calculation overflowed"
)
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
    if isinstance(error, MemoryError) or _ALLOCATION.search(str(error)):
        return GradcliError("bounds", f"this needs more memory than there is: {text}", span=step.span)
    shown = [_operand(value) for value in (*args, *kwargs.values()) if isinstance(value, (torch.Tensor, list, tuple))]
    hint = f"its operands: {', '.join(shown)}" if shown else None
    return GradcliError("torch", f"torch: {text}", span=step.span, hint=hint)


def _operand(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        kind = "" if value.is_floating_point() else f" {str(value.dtype).removeprefix('torch.')}"
        return f"{shape_text(value.shape) if value.dim() else 'one number'}{kind}"
    parts = [_operand(one) for one in value[:4] if isinstance(one, torch.Tensor)]
    return f"[{'; '.join(parts)}{'; …' if len(value) > 4 else ''}]" if parts else f"{value}"[:60]


def backward_failure(error: Exception, span: Span) -> GradcliError:
    """torch's refusal of a backward pass, under the expression that it went back from."""
    return GradcliError("torch", f"torch: {torch_message(error)}", span=span)
