"""The value of an expression: the forward pass only, with what torch records of it."""

from __future__ import annotations

from typing import Any

from gradcli.commands.answering import answer
from gradcli.commands.command import EVALUATION, Command
from gradcli.results import Answer


def evaluate(
    expression: str, at: Any = None, const: Any = None, *, mode: str = "grad", dtype: Any = None, device: Any = None,
    seed: int = 0, max_memory: Any = None, notes: bool = True, verify: bool | None = False,
) -> Answer:  # fmt: skip
    """Evaluate an expression without going back: value, requires_grad and grad_fn of each tensor.

    >>> gradcli.evaluate("A**2+16", at=5.0, mode="no_grad").output.requires_grad
    False

    The arguments are those of `gradcli.grad`. Returns an Answer whose gradients are None.
    Raises GradcliError: exit code 2 where the request is wrong, 3 where torch refuses.
    """
    return answer(
        "eval",
        expression,
        at,
        const,
        mode=mode,
        dtype=dtype,
        device=device,
        seed=seed,
        max_memory=max_memory,
        backward=False,
        notes=notes,
        verify=verify,
    )


COMMAND = Command(
    "eval", evaluate, "Value, requires_grad and grad_fn of an expression: the forward pass only.",
    "expression", 'Expression or snippet, such as "A**2+16"; @FILE reads a file, - standard input.',
    EVALUATION,
    ('gradcli eval --no-grad "A**2+16"', 'gradcli eval "with torch.no_grad(): B = A**2 + 16" --at "[5.0]"'),
)  # fmt: skip
