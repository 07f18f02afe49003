"""What autograd recorded: the nodes that backward will visit, what each keeps, and the edges between them.

Edges go as gradients do, from the output to the inputs: along an edge from a node with result y to the node that made
its operand x flows Σⱼ vⱼ · ∂yⱼ/∂xᵢ, in the shape of x, with v all that arrives at the node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gradcli.commands.answering import answer_of, attempted
from gradcli.commands.asking import REDUCTIONS, choice, request_of
from gradcli.commands.command import EVALUATION, Command, Option
from gradcli.commands.grad import REDUCE, UPSTREAM
from gradcli.commands.trace import bound
from gradcli.errors import GradcliError
from gradcli.graphed import Graph
from gradcli.report import shortened, title_of
from gradcli.results import Note, TensorView

if TYPE_CHECKING:
    import torch

    from gradcli.engine.gradient import Outcome
    from gradcli.engine.graph import Origin, Origins, Recorded

SOURCE = 80  # characters of a step's text that a node has: in a long sum the whole ones would fill books


def graph(
    expression: str | torch.Tensor, at: Any = None, const: Any = None, *, mode: str = "grad", dtype: Any = None,
    device: Any = None, seed: int = 0, max_memory: Any = None, values: bool = False, reduce: str = "sum",
    upstream: Any = None, save: Any = None, notes: bool = True,
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
    ending = _ending(save)
    if isinstance(expression, str):
        options = {"mode": mode, "dtype": dtype, "device": device, "seed": seed, "max_memory": max_memory}
        found = _of_text(expression, at, const, values, notes, reduce=reduce, upstream=upstream, **options)
    else:
        _refuse_given(const=const, mode=None if mode == "grad" else mode, dtype=dtype, device=device)
        found = _of_tensor(expression, at, values, reduce, upstream, max_memory)
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


def _refuse_given(**options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise GradcliError("usage", f"{name} is for expressions: a tensor is taken as it is")


def _of_text(expression: str, at: Any, const: Any, values: bool, notes: bool, **options: Any) -> Graph:
    request = request_of(expression, at, const, backward=values, **options)

    from gradcli.engine.gradient import differentiate
    from gradcli.engine.graph import Origins, walk

    origins = Origins()
    outcome = attempted(request, lambda request: differentiate(request, origins, keep=True))
    names = {id(leaf): name for name, leaf in (*outcome.leaves.items(), *outcome.made.items())}
    recorded = attempted(request, lambda _: walk(outcome.results, names, _texts(outcome, origins)))
    edges = recorded.edges
    if outcome.went_back:
        from gradcli.engine.graph_flow import with_gradients

        starts, memory = _starts(outcome.results, request.reduce, outcome.upstream), request.settings.memory
        edges = attempted(request, lambda _: with_gradients(recorded, starts, memory))
    answer = answer_of("graph", outcome, notes)
    told = (*answer.notes, *_remarks(answer.outputs)) if notes else ()
    mode = "" if request.mode == "grad" else request.mode
    title = " · ".join(filter(None, (title_of(answer), mode, answer.asked.dtype)))
    return Graph(
        answer.expression, title, request.mode, answer.inputs, answer.outputs, recorded.roots, recorded.nodes, edges,
        outcome.went_back, told,
    )  # fmt: skip


def _texts(outcome: Outcome, origins: Origins) -> dict[Any, Origin]:
    """For each node that a step recorded the text of the step, and the name that it is given."""
    from gradcli.engine.graph import Origin

    program = outcome.request.program

    def text(index: int) -> Origin:
        start, end = span = program.steps[index].span
        words = program.source[start:end] if end - start <= 2 * SOURCE else _ends(program.source[start:end])
        return Origin(shortened(f"{bound(program, index)}{' '.join(words.split())}", SOURCE), span)

    return {node: text(index) for node, index in origins.steps.items()}


def _ends(text: str) -> str:
    return text[:SOURCE] + text[-SOURCE:]


def _remarks(outputs: tuple[TensorView, ...]) -> list[Note]:
    """Why there is no node of an output that is itself a leaf."""
    return [
        Note(None, "info", f"{one.label} is a leaf: it begins a graph, and no operation was recorded for it.", one.span)
        for one in outputs
        if one.requires_grad and one.is_leaf
    ]


def _of_tensor(tensor: Any, at: Any, values: bool, reduce: str, upstream: Any, max_memory: Any) -> Graph:
    choice("--reduce", reduce, REDUCTIONS)
    if not hasattr(tensor, "grad_fn"):
        raise GradcliError("usage", f"graph takes an expression or a tensor, not {type(tensor).__name__}")

    from gradcli.engine.graph import walk
    from gradcli.engine.memory import read_size

    memory = read_size(max_memory)
    names, origins = _names(at)
    recorded: Recorded = walk((tensor,), names, origins)
    if not recorded.nodes:
        what = "is a leaf" if tensor.requires_grad else "does not require grad"
        raise GradcliError(
            "value", f"this tensor {what}: it has no grad_fn, and there is no graph behind it",
            hint="give a tensor that was computed from one with requires_grad=True, such as a loss",
        )  # fmt: skip
    edges = recorded.edges
    if values:
        import torch

        from gradcli.engine.graph_flow import with_gradients

        given = torch.as_tensor(upstream, dtype=tensor.dtype) if upstream is not None else None
        edges = with_gradients(recorded, _starts((tensor,), reduce, given), memory)
    title = f"a tensor from {recorded.nodes[0].name}"
    view = TensorView(None, title, tensor.detach(), True, False, recorded.nodes[0].name, None)
    return Graph(title, title, "grad", {}, (view,), recorded.roots, recorded.nodes, edges, values, ())


def _names(at: Any) -> tuple[dict[int, str], dict[Any, Origin]]:
    """What tensors are called: leaves by their id, others by the node that made them."""
    from gradcli.engine.graph import Origin

    if at is None:
        return {}, {}
    if not isinstance(at, Mapping) or not all(hasattr(one, "grad_fn") for one in at.values()):
        raise GradcliError("usage", "at beside a tensor is a mapping of names to tensors")
    leaves = {id(one): str(name) for name, one in at.items() if one.grad_fn is None}
    made = {one.grad_fn: Origin(str(name), None) for name, one in at.items() if one.grad_fn is not None}
    return leaves, made


def _starts(results: tuple[torch.Tensor, ...], reduce: str, upstream: torch.Tensor | None) -> list[Any]:
    """Each output, made one number as `grad` makes it, or with the gradient that was given for it."""
    import torch

    going = [one for one in results if one.requires_grad]
    if upstream is not None:
        vector = upstream.detach().to(going[0].dtype)
        return [(going[0], vector.expand(going[0].shape) if vector.dim() == 0 else vector)]
    with torch.enable_grad():
        return [(_REDUCED[reduce](one) if one.numel() != 1 else one, None) for one in going]


_REDUCED: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "sum": lambda one: one.sum(),
    "mean": lambda one: one.mean(),
    "none": lambda one: one,
}


COMMAND = Command(
    "graph", graph, "What autograd recorded: nodes, what each keeps for backward, and the edges between them.",
    "expression", 'Expression or snippet, such as "sin(A)*A"; @FILE reads a file, - standard input.',
    (
        *EVALUATION,
        Option("values", ("--values",), "Go back, and tell the gradient along each edge.", bool, default=False),
        REDUCE, UPSTREAM,
        Option("save", ("--save",), "Draw the graph in a file that ends with .svg, .png or .pdf.", metavar="FILE"),
    ),
    ('gradcli graph "sin(A)*A" --at 2', 'gradcli graph "(W @ x).relu().sum()" --at "W=[[1, 2], [3, 4]]" '
     '--at "x=[5, 6]" --values', 'gradcli graph "A*A + A" --at 2 --format mermaid'),
    formats=("tree", "table", "json", "csv", "markdown", "mermaid", "dot"),
)  # fmt: skip
