"""The gradient of an expression: `.grad` of every input after one backward pass.

For an output y of shape (m...) and an input x of shape (n...), `.grad` has the shape of x and holds
Σⱼ vⱼ · ∂yⱼ/∂xᵢ, with v the upstream gradient: all ones where the output is summed, 1/m where it is averaged.
"""

from __future__ import annotations

from typing import Any

from gradcli.commands.answering import answer
from gradcli.commands.asking import REDUCTIONS
from gradcli.commands.command import EVALUATION, Command, Option
from gradcli.commands.passes import PASSES, pass_of
from gradcli.results import Answer


def grad(
    expression: str, at: Any = None, const: Any = None, *, mode: str = "grad", dtype: Any = None, device: Any = None,
    seed: int = 0, reduce: str = "sum", upstream: Any = None, wrt: Any = None, order: int | None = None,
    repeat: int | None = None, zero_grad: bool = False, loss_scale: Any = None,
    max_memory: Any = None, notes: bool = True, verify: bool | None = False,
) -> Answer:  # fmt: skip
    """Evaluate an expression, go back from it, and tell value, .grad, requires_grad and grad_fn of each tensor.

    >>> gradcli.grad("A*5", at=5.0).inputs["A"].grad
    tensor(5.)

    Args:
        expression: one expression or the lines of a snippet, such as `"A*5"`.
        at: a value (number, nested lists, text, tensor) for the one input, or a mapping of names to values.
            Inputs require grad. Default: 5.0 where there is exactly one input and no value at all.
        const: a mapping of names to values that get no gradient; whole numbers and booleans keep their dtype.
        mode: `grad`, `no_grad` or `inference`.
        dtype: the floating dtype of the whole evaluation; torch's default where None. Tensors passed in keep theirs.
        device: where to compute; the CPU where None.
        seed: the seed of random functions. The caller's generators are left as they were.
        reduce: how an output of several elements becomes one number: `sum`, `mean`, or `none` (torch's refusal).
        upstream: the gradient to go back with, in the shape of the output, as `backward(gradient=upstream)`.
        wrt: the names of the inputs that require grad; all of them where None.
        order: derivatives up to this order, 1 to 10. Element by element where every operation works so; else each is
            the gradient of the sum of the one before.
        repeat: how often backward runs, each time on a graph evaluated anew, with `.grad` told after each.
        zero_grad: whether `.grad` is set to None before each of these calls.
        loss_scale: a positive number to multiply the loss by before backward, as mixed-precision training does; `.grad`
            is then told scaled and unscaled, and what under- or overflowed. `"auto"`: the middle of the powers of two
            that lose nothing.
        max_memory: bytes, or text such as `"2GB"`, that the evaluation may take; 80 % of what is free where None.
        notes: whether to say what is to be known about the answer; `"facts"`: no proofs about its numbers.
        verify: whether to prove also what nothing in the answer points to: slopes on both sides, the same in float64,
            elements exactly at a kink among more than 8,192. None: for answers of up to 1,024 elements, and kinks among
            up to 100,000, as the command line does.

    Returns an Answer. Raises GradcliError: exit code 2 where the request is wrong, 3 where torch refuses.
    Equivalent to `output.sum().backward()` and reading `.grad` of each input.
    """
    return answer(
        "grad",
        expression,
        at,
        const,
        mode=mode,
        dtype=dtype,
        device=device,
        seed=seed,
        backward=True,
        reduce=reduce,
        upstream=upstream,
        wrt=wrt,
        way=pass_of(order, repeat, zero_grad, loss_scale),
        max_memory=max_memory,
        notes=notes,
        verify=verify,
    )


REDUCE = Option(
    "reduce", ("--reduce",), "How an output of several elements becomes one number.", default="sum", choices=REDUCTIONS
)
UPSTREAM = Option(
    "upstream", ("--upstream",), "Gradient to go back with, as backward(gradient=V).", metavar="V", value=True
)
WRT = Option("wrt", ("--wrt",), "Only this input requires grad. Repeatable.", many=True, metavar="NAME")

COMMAND = Command(
    "grad", grad, "Value, .grad, requires_grad and grad_fn of an expression, after one backward pass.",
    "expression", 'Expression or snippet, such as "A*5"; @FILE reads a file, - standard input.',
    (*EVALUATION, REDUCE, UPSTREAM, WRT, *PASSES),
    (
        'gradcli grad "A*5" --at 5.0',
        'gradcli grad "A*B+A" --at A=2 --at B=3',
        'gradcli grad "sin(A).sum()" --at "[1, 2]" --json',
        'gradcli grad "A**3" --at 2 --order 3',
        'gradcli grad "A*5" --repeat 3 --zero-grad',
    ),
)  # fmt: skip
