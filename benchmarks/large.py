"""Tensors of 10⁷ elements: time and peak memory, against torch by hand.

Three baselines, for three things that gradcli does:

- the result alone: forward and backward;
- the result and its table: forward, backward, and the facts that the table tells (least, most, mean, deviation,
  counts of NaN, Inf and zero) of the same three tensors, each by one call of torch. Against torch's own print, which
  reads six elements of a tensor and tells none of that, it is shown for information;
- the command line: a script that makes the tensor, computes, goes back, and prints as torch prints.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.processes import GRADCLI, PYTHON, peaks, run, script, seconds, side_by_side
from benchmarks.race import Row, race

TIME, MEMORY = 1.1, 1.2
SIZE = 10_000_000
ROUNDS = 7

# expression -> the same in Python
EXPRESSIONS = {
    "A*5": "A * 5",
    "sum(sin(A)*exp(-A**2))": "(torch.sin(A) * torch.exp(-A**2)).sum()",
}

SCRIPT = """\
import torch
torch.manual_seed(0)
A = torch.randn({size}, requires_grad=True)
B = {expression}
B.sum().backward()
print(A, A.grad, A.requires_grad)
print(B, B.requires_grad)
"""


def rows(rounds: int | None) -> Iterator[Row]:
    count = rounds or ROUNDS
    for expression, spelled in EXPRESSIONS.items():
        with script(SCRIPT.format(size=SIZE, expression=spelled)) as path:
            words = [GRADCLI, "grad", expression, "--at", f"randn({SIZE})"]
            pairs = side_by_side(lambda: run(words), lambda: run([PYTHON, path]), count)  # noqa: B023
        yield Row(f"command line: {expression}, 10⁷ elements", "a script, torch's print", seconds(pairs), TIME)
        yield Row("  its peak of memory", "that of the script", peaks(pairs), MEMORY, "B")
    yield from _in_process(count)


def _in_process(count: int) -> Iterator[Row]:
    import torch

    import gradcli

    values = torch.randn(SIZE, generator=torch.Generator().manual_seed(0))
    functions = {
        "A*5": lambda A: A * 5,
        "sum(sin(A)*exp(-A**2))": lambda A: (torch.sin(A) * torch.exp(-(A**2))).sum(),
    }
    for expression, function in functions.items():

        def by_hand(function=function):  # type: ignore[no-untyped-def]
            A = values.detach().requires_grad_()
            output = function(A)
            output.sum().backward()
            return A.detach(), A.grad, output.detach()

        def answer(expression=expression):  # type: ignore[no-untyped-def]
            return gradcli.grad(expression, at=values)

        yield Row(f"API: {expression}", "forward and backward", race(answer, by_hand, count), TIME)
        yield Row(
            "  and its table", "the same facts by torch",
            race(lambda: str(answer()), lambda: [_facts(one) for one in by_hand()], count), TIME,
        )  # fmt: skip
        yield Row("  and its table", "torch's print", race(lambda: str(answer()), lambda: str(by_hand()), count))


def _facts(tensor):  # type: ignore[no-untyped-def]
    """The facts of one row of the table, as a user would ask torch for them."""
    return tuple(
        one.item()
        for one in (
            tensor.min(), tensor.max(), tensor.mean(), tensor.std(correction=0),
            tensor.isnan().sum(), tensor.isinf().sum(), (tensor == 0).sum(),
        )
    )  # fmt: skip
