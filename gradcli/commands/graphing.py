"""From a text, or from a tensor of the caller's, to the graph behind it: its nodes named, and what flows in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gradcli.commands.answering import answer_of, attempted
from gradcli.commands.asking import REDUCTIONS, choice, request_of
from gradcli.commands.pairing import given_value
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


def refuse_given(**options: Any) -> None:
    """Refuse the options that say how to evaluate a text: a tensor has been evaluated."""
    for name, value in options.items():
        if value is not None:
            raise GradcliError("usage", f"{name} is for expressions: a tensor is taken as it is")


def of_text(expression: str, at: Any, const: Any, values: bool, notes: bool, **options: Any) -> Graph:
    """The graph of the outputs of a text."""
    request = request_of(expression, at, const, backward=values, notes=notes, **options)

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
    told = (*answer.notes, *_leaves(answer.outputs), *_overwritten(recorded)) if notes else ()
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


def _leaves(outputs: tuple[TensorView, ...]) -> list[Note]:
    """Why there is no node of an output that is itself a leaf."""
    return [
        Note(None, "info", f"{one.label} is a leaf: it begins a graph, and no operation was recorded for it.", one.span)
        for one in outputs
        if one.requires_grad and one.is_leaf
    ]


def _overwritten(recorded: Recorded) -> Iterator[Note]:
    """What backward will refuse: the first that was saved and then written to."""
    from gradcli.diagnosis.remarks import REMARKS

    for node in recorded.nodes:
        for saved in node.saved:
            if saved.state == "changed":
                text = REMARKS["overwritten"].format(node=f"{node.number} {node.name}", saved=saved.name)
                yield Note("G202", "warning", text, node.span)
                return


def of_tensor(tensor: Any, at: Any, values: bool, reduce: str, upstream: Any, max_memory: Any, notes: bool) -> Graph:
    """The graph behind a tensor; nothing of it, and no `.grad`, is changed."""
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
    if tensor.is_nested:
        raise GradcliError("value", "this tensor is nested: it has no shape", hint="give a sum of its parts")
    edges = recorded.edges
    if values:
        from gradcli.engine.graph_flow import with_gradients

        edges = with_gradients(recorded, _starts((tensor,), reduce, _vector(upstream, tensor)), memory)
    title = f"a tensor from {recorded.nodes[recorded.roots[0] or 0].name}"
    view = TensorView(None, title, tensor.detach(), True, False, recorded.nodes[0].name, None)
    told = tuple(_overwritten(recorded)) if notes else ()
    return Graph(title, title, "grad", {}, (view,), recorded.roots, recorded.nodes, edges, values, told)


def coded(make: Callable[[], Graph]) -> Graph:
    """What is made; torch's refusals carry their diagnosis code."""
    try:
        return make()
    except GradcliError as error:
        from gradcli.diagnosis.refusals import with_code

        raise with_code(error) from error.__cause__


def _vector(upstream: Any, tensor: torch.Tensor) -> torch.Tensor | None:
    """The gradient to go back with, from whatever a value may be."""
    if upstream is None:
        return None
    from gradcli.engine.inputs import make_tensor, settings_of

    given = given_value("upstream", upstream, True)
    return make_tensor(given, tensor.dtype, settings_of(tensor.dtype, tensor.device), False)


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
    with torch.inference_mode(False), torch.enable_grad():
        return [(_REDUCED[reduce](one) if one.numel() != 1 else one, None) for one in going]


_REDUCED: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "sum": lambda one: one.sum(),
    "mean": lambda one: one.mean(),
    "none": lambda one: one,
}
