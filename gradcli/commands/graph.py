"""What autograd recorded: the nodes that backward will visit, what each keeps, and the edges between them.

Edges go as gradients do, from the output to the inputs: along an edge from a node with result y to the node that made
its operand x flows Σⱼ vⱼ · ∂yⱼ/∂xᵢ, in the shape of x, with v all that arrives at the node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradcli.commands.command import EVALUATION, Command, Option
from gradcli.commands.grad import REDUCE, UPSTREAM
from gradcli.commands.graphing import coded, of_tensor, of_text, refuse_given
from gradcli.errors import GradcliError
from gradcli.graphed import Graph

if TYPE_CHECKING:
    import torch


def graph(
    expression: str | torch.Tensor, at: Any = None, const: Any = None, *, mode: str = "grad", dtype: Any = None,
    device: Any = None, seed: int = 0, max_memory: Any = None, values: bool = False, reduce: str = "sum",
    upstream: Any = None, save: Any = None, notes: bool = True, verify: bool | None = False,
) -> Graph:  # fmt: skip
    """Tell the graph that autograd recorded for an expression, or for a tensor of one's own.

    >>> [node.name for node in gradcli.graph("sin(A)*A", at=2.0).nodes]
    ['MulBackward0', 'SinBackward0', 'AccumulateGrad']

    Args:
        expression: text as for `gradcli.grad`; or any tensor with a grad_fn, which is left as it is.
        at: values as for `gradcli.grad`; beside a tensor, a mapping of names to the tensors that they belong to, such
            as `dict(model.named_parameters())`.
        values: whether to go back, and to tell the gradient that flows along each edge. `.grad` of a tensor that was
            passed in is left alone.
        reduce: how an output of several elements becomes one number, where `values` is set.
        upstream: the gradient to go back with, in the shape of the output, where `values` is set.
        save: a file to draw the graph in: its name ends with `.svg`, `.png` or `.pdf`. What was there is replaced.

    The other arguments are those of `gradcli.grad`, and are for expressions alone. Returns a Graph: `nodes`, `edges`,
    `roots` (the node of each output), `depth`, `saved_bytes`. Nothing recorded is no error: there are no nodes then.
    Raises GradcliError: exit code 2 where the request is wrong (a tensor without a grad_fn is), 3 where torch refuses,
    74 where the file cannot be written.
    Equivalent to walking `tensor.grad_fn.next_functions`.
    """
    if not values and (upstream is not None or reduce != "sum"):
        raise GradcliError("usage", "--upstream and --reduce say how to go back, which --values asks for")
    ending = _ending(save)
    if isinstance(expression, str):
        options = {
            "mode": mode,
            "dtype": dtype,
            "device": device,
            "seed": seed,
            "max_memory": max_memory,
            "verify": verify,
        }
        found = of_text(expression, at, const, values, notes, reduce=reduce, upstream=upstream, **options)
    else:
        refuse_given(const=const, mode=None if mode == "grad" else mode, dtype=dtype, device=device)
        found = coded(lambda: of_tensor(expression, at, values, reduce, upstream, max_memory, notes))
    if ending is not None:
        from gradcli.render import pictures

        pictures.save(found, save, ending)
    return found


def _ending(save: Any) -> str | None:
    """Which kind of picture a file's name asks for; refused before anything is evaluated."""
    if save is None:
        return None
    from gradcli.render import pictures

    return pictures.ending_of(save)


COMMAND = Command(
    "graph", graph, "What autograd recorded: nodes, what each keeps for backward, and the edges between them.",
    "expression", 'Expression or snippet, such as "sin(A)*A"; @FILE reads a file, - standard input.',
    (
        *EVALUATION,
        Option("values", ("--values",), "Go back, and tell the gradient along each edge.", bool, default=False),
        REDUCE, UPSTREAM,
        Option("save", ("--save",), "Draw the graph in a file that ends with .svg, .png or .pdf.", metavar="FILE",
               writes=True),
    ),
    ('gradcli graph "sin(A)*A" --at 2', 'gradcli graph "(W @ x).relu().sum()" --at "W=[[1, 2], [3, 4]]" '
     '--at "x=[5, 6]" --values', 'gradcli graph "relu(A).sum()" --at "randn(3, 4)"'),
    formats=("tree", "table", "json", "csv", "markdown", "mermaid", "dot"),
)  # fmt: skip
