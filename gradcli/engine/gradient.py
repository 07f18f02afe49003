"""One evaluation and one backward pass: the values, what torch recorded about them, and the gradients.

For a given program f, inputs x and upstream gradient v, `.grad` of an input is vᵀ · ∂f/∂x. Without v, an output of
several elements is reduced to its sum first, so that v is all ones (mean: 1/n).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from gradcli.engine.evaluate import Settings, run
from gradcli.engine.failures import backward_failure
from gradcli.engine.inputs import make_tensor
from gradcli.engine.operations import described, operand_value
from gradcli.errors import GradcliError, Span
from gradcli.language.program import Bind, Program
from gradcli.language.values import Given
from gradcli.results import TensorView

REDUCTIONS = ("sum", "mean", "none")


@dataclass(frozen=True, slots=True)
class Request:
    """What to evaluate: a program, a value for each input, and how."""

    program: Program
    given: tuple[Given, ...]
    origins: Mapping[str, str]
    settings: Settings
    dtype: torch.dtype | None = None
    mode: str = "grad"
    seed: int = 0
    backward: bool = True
    reduce: str = "sum"
    upstream: Given | None = None
    wrt: frozenset[str] | None = None
    asked_grads: tuple[tuple[str, Span], ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an evaluation left behind: views for results, live tensors for whoever must look further."""

    request: Request
    inputs: dict[str, TensorView]
    outputs: tuple[TensorView, ...]
    leaves: dict[str, torch.Tensor]
    made: dict[str, torch.Tensor]
    results: tuple[torch.Tensor, ...]
    went_back: bool
    warned: tuple[str, ...]


def differentiate(request: Request) -> Outcome:
    """Evaluate a request, and go back from its outputs where it asks for that and they require grad.

    Raises GradcliError of kind value (a value, an output that is no tensor) or torch (torch's own refusals).
    """
    program = request.program
    with quiet() as caught, seeded(request):
        leaves = make_leaves(request)
        upstream = make_tensor(request.upstream, request.dtype, request.settings, False) if request.upstream else None
        inside = _Inside(program)
        values = run(program, leaves, request.settings, request.mode, inside if inside.bound else None)
        results, labels = _outputs(program, values)
        if program.upstream is not None and request.backward:
            upstream = operand_value(program.upstream, values)
        facts = [(one.requires_grad, one.is_leaf, _node_name(one)) for one in results]
        went_back = request.backward and request.mode == "grad" and any(one.requires_grad for one in results)
        if went_back:
            _backward(request, results, upstream)
    outputs = tuple(
        TensorView(name, label, one.detach(), requires, leaf, node, _gradient(one, leaf), None, span)
        for one, (name, label, span), (requires, leaf, node) in zip(results, labels, facts, strict=True)
    )
    names = sorted(leaves, key=lambda name: program.inputs.index(name) if name in program.inputs else len(leaves))
    inputs = {name: _input_view(name, leaves[name], request.origins[name]) for name in names}
    inputs |= {name: _input_view(name, leaf, "inside") for name, leaf in inside.leaves.items() if name not in inputs}
    return Outcome(request, inputs, outputs, leaves, inside.leaves, results, went_back, tuple(dict.fromkeys(caught)))


def make_leaves(request: Request) -> dict[str, torch.Tensor]:
    """The tensors of all inputs, made in the order of the call."""
    return {one.name: _leaf(one, request) for one in request.given}


def _leaf(given: Given, request: Request) -> torch.Tensor:
    tensor = make_tensor(given, request.dtype, request.settings, request.program.writes)
    if request.wrt is not None and given.name not in request.wrt:
        tensor = tensor.detach()
    return tensor


class _Inside:
    """Watches for leaves that the text makes for itself: `A = torch.tensor([5.0], requires_grad=True)`."""

    def __init__(self, program: Program) -> None:
        self.bound = {
            index: step.name for index, step in enumerate(program.steps) if isinstance(step, Bind) and step.name
        }
        self.leaves: dict[str, torch.Tensor] = {}

    def __call__(self, index: int, value: Any) -> None:
        name = self.bound.get(index)
        if name and isinstance(value, torch.Tensor) and value.requires_grad and value.is_leaf:
            self.leaves[name] = value


def _outputs(
    program: Program, values: list[Any]
) -> tuple[tuple[torch.Tensor, ...], list[tuple[str | None, str, Span]]]:
    """The output tensors, with the name, the label and the columns of each."""
    results: list[torch.Tensor] = []
    labels: list[tuple[str | None, str, Span]] = []
    for output in program.outputs:
        value = operand_value(output.operand, values)
        text = " ".join(program.source[output.span.start : output.span.end].split())
        label = output.name or text
        if isinstance(value, torch.Tensor):
            results.append(value)
            labels.append((output.name, label, output.span))
        elif isinstance(value, (tuple, list)) and value and all(isinstance(one, torch.Tensor) for one in value):
            results += value
            fields = getattr(type(value), "_fields", None) or _structseq_fields(value)
            labels += [(None, f"{label}{part}", output.span) for part in fields]
        else:
            hint = "the answer has to be a tensor: use an input, such as A"
            raise GradcliError(
                "value",
                f"the answer is {value!r:.60}, {described(value)}",
                source=program.source,
                span=output.span,
                hint=hint,
            )
    return tuple(results), labels


def _structseq_fields(value: Any) -> list[str]:
    """`.values`, `.indices` for torch's named tuples; `[0]`, `[1]` for plain ones."""
    names = [name for name in dir(type(value)) if not name.startswith(("_", "n_")) and name not in {"count", "index"}]
    places = {id(getattr(value, name)): f".{name}" for name in names}
    return [places.get(id(one), f"[{index}]") for index, one in enumerate(value)]


def _backward(request: Request, results: tuple[torch.Tensor, ...], upstream: torch.Tensor | None) -> None:
    span = request.program.backward or request.program.outputs[0].span
    span = span if len(results) == 1 else request.program.outputs[0].span
    try:
        if upstream is not None:
            if len(results) > 1:
                raise GradcliError(
                    "usage",
                    "an upstream gradient needs one output, and there are several",
                    source=request.program.source,
                    span=span,
                )
            torch.autograd.backward(results[0], _upstream(upstream, results[0]))
            return
        roots = [_reduced(one, request.reduce) for one in results if one.requires_grad]
        torch.autograd.backward(roots)
    except GradcliError:
        raise
    except Exception as error:
        raise backward_failure(error, span) from error


def _upstream(upstream: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
    upstream = upstream.detach().to(result.dtype)
    return upstream.expand(result.shape) if upstream.dim() == 0 else upstream


def _reduced(result: torch.Tensor, reduce: str) -> torch.Tensor:
    if reduce == "none" or (result.numel() == 1 and result.dim() == 0):
        return result
    if result.numel() == 1:
        return result
    return result.mean() if reduce == "mean" else result.sum()


def _gradient(tensor: torch.Tensor, leaf: bool) -> torch.Tensor | None:
    return tensor.grad.detach() if leaf and tensor.grad is not None else None


def _input_view(name: str, leaf: torch.Tensor, origin: str) -> TensorView:
    return TensorView(
        name,
        name,
        leaf.detach(),
        leaf.requires_grad,
        leaf.is_leaf,
        _node_name(leaf),
        _gradient(leaf, leaf.is_leaf),
        origin,
    )


def _node_name(tensor: torch.Tensor) -> str | None:
    node = tensor.grad_fn
    return node.name().removeprefix("torch::autograd::") if node is not None else None


@contextmanager
def quiet() -> Iterator[list[str]]:
    """Collect torch's warnings, which become notes instead of lines on stderr."""
    caught: list[str] = []
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield caught
        caught += [" ".join(str(one.message).split()) for one in seen if "Initializ" not in str(one.message)]


@contextmanager
def seeded(request: Request) -> Iterator[None]:
    """Seed the random numbers of an evaluation that draws some, and leave the caller's generators as they were."""
    programs = [request.program, *(given.data for given in request.given if isinstance(given.data, Program))]
    if not any(program.random for program in programs):
        yield
        return
    devices = list(range(torch.cuda.device_count())) if torch.cuda.is_available() else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(request.seed)
        yield
