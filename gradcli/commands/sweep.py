"""Value and gradient over a range: f(x) and ∂f/∂x at many points, and what is to be found between them.

For n values of an input x of shape (d...) the values have the shape (n,) and the gradients (n, d...). For m values of
one input and n of another, the grid has the value f(xᵢ, yⱼ) at (i, j).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradcli.commands.answering import attempted
from gradcli.commands.asking import sweep_request
from gradcli.commands.command import CONST, DEVICE, DTYPE, INFERENCE, MAX_MEMORY, MODE, NO_GRAD, SEED, Command, Option
from gradcli.findings import Finding
from gradcli.results import Note
from gradcli.swept import Sweep

if TYPE_CHECKING:
    import torch

    from gradcli.engine.sweeping.points import Axis


def sweep(
    expression: str, at: Any = None, const: Any = None, *, over: Any = None, mode: str = "grad", dtype: Any = None,
    device: Any = None, seed: int = 0, max_memory: Any = None, save: Any = None, notes: bool = True,
) -> Sweep:  # fmt: skip
    """Evaluate an expression and its gradient at every point of a range, and tell what is to be found there.

    >>> gradcli.sweep("A**2", at={"A": "-1:1:5"}).grad["A"]
    tensor([-2., -1.,  0.,  1.,  2.])

    Args:
        at: a mapping of names to values; of one or two inputs a range, `"start:stop:count"` or
            `"log:start:stop:count"`, both ends included.
        over: the names of inputs that are swept over the first dimension of their value: a list, a file, a tensor.
        mode: `grad`, `no_grad` or `inference`.
        save: a file to draw the curves or the surface in: its name ends with `.svg`, `.png` or `.pdf`. What was there
            is replaced.
        notes: whether to look for findings and to say what is to be known about the answer.

    The other arguments are those of `gradcli.grad`. Returns a Sweep: `at`, `value` and `grad` hold tensors, `findings`
    what was found. An output of several elements is summed, as `gradcli.grad` sums it, and inputs that are not swept
    are held fixed. Random functions draw the same numbers at every point.
    Raises GradcliError: exit code 2 where the request is wrong, 3 where torch refuses every point.
    Equivalent to `gradcli.grad` at each point.
    """
    path = _checked(save)
    request = sweep_request(
        expression, at, const, over, mode=mode, dtype=dtype, device=device, seed=seed, max_memory=max_memory,
        notes=notes and "facts",
    )  # fmt: skip

    from gradcli.engine.sweeping.sweep import findings_of
    from gradcli.engine.sweeping.sweep import sweep as swept

    found = attempted(request, swept)
    told: tuple[Note, ...] = ()
    things: tuple[Finding, ...] = ()
    if notes:
        things = attempted(request, lambda _: findings_of(found))
        from gradcli.diagnosis.notes import diagnose

        told = diagnose(found.field.sample)
    lengths = tuple(len(one.values) for one in found.axes)
    result = Sweep(
        expression,
        mode,
        found.field.sample.inputs,
        {one.name: one.values for one in found.axes},
        found.numbers.value.reshape(lengths),
        {one.name: _shaped(found.numbers.grads[one.name], lengths, one) for one in found.axes},
        found.field.way,
        things,
        told,
    )
    if path is not None:
        from gradcli.render import plots

        plots.save(result, path)
    return result


def _checked(save: Any) -> Path | None:
    """Where a picture is to be; refused before anything is evaluated."""
    if save is None:
        return None
    from gradcli.render import plots

    return plots.checked(save)


def _shaped(grad: torch.Tensor | None, lengths: tuple[int, ...], axis: Axis) -> torch.Tensor | None:
    return None if grad is None else grad.reshape(lengths + axis.values.shape[1:])


AT = Option(
    "at",
    ("--at",),
    "Value of an input: NAME=VALUE, or a range, NAME=start:stop:count or NAME=log:start:stop:count. Repeatable.",
    many=True,
    metavar="VALUE",
    value=True,
)
OVER = Option(
    "over", ("--over",), "Sweep this input over the elements of its value: a list or a file. Repeatable.", many=True,
    metavar="NAME",
)  # fmt: skip

SAVE = Option("save", ("--save",), "Draw it in a file that ends with .svg, .png or .pdf.", metavar="FILE", writes=True)

PLOT = Option("format", ("--plot",), "Draw it in the terminal: the same as --format plot.", bool, sets="plot")

COMMAND = Command(
    "sweep", sweep, "Value and gradient over a range: extrema, kinks, jumps, and where numbers fail.",
    "expression", 'Expression or snippet, such as "A**2"; @FILE reads a file, - standard input.',
    (AT, OVER, CONST, MODE, NO_GRAD, INFERENCE, DTYPE, DEVICE, SEED, MAX_MEMORY, SAVE),
    (
        'gradcli sweep "x**3 - 3*x" --at x=-3:3:101',
        'gradcli sweep "sigmoid(A)" --at A=log:1e-3:1e3:61',
        'gradcli sweep "x**2 - y**2" --at x=-1:1:21 --at y=-1:1:21',
        'gradcli sweep "relu(A)" --at "A=[-1, 0, 1]" --over A',
    ),
    formats=("table", "json", "csv", "markdown", "plot"),
    showing=(PLOT,),
)  # fmt: skip
