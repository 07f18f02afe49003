"""Derivatives beyond the first: the gradient of the summed gradient, again and again.

Where every operation on the way from an input to the output works element by element, and the input has the shape of
the output, this is the k-th derivative of each element: the Jacobian is diagonal, and so is every one after it.
"""

from __future__ import annotations

import torch

from gradcli.engine.derivatives import differentiable
from gradcli.engine.gradient import Outcome, differentiate, roots
from gradcli.engine.memory import budget, shown
from gradcli.engine.nodes import nodes
from gradcli.engine.products import Widest
from gradcli.engine.readable import readable
from gradcli.engine.recording import Request, quiet
from gradcli.engine.second import no_second_derivative, stays_constant
from gradcli.errors import GradcliError
from gradcli.extras import Higher
from gradcli.language.program import Call, Input, Program, operands, references

NODES = 1_000_000  # operations that a derivative may record: they take half a minute
GROWN = 4  # the order from which a graph can be so large


def higher(request: Request, order: int) -> tuple[Outcome, Higher]:
    """The outcome of one backward pass, and the derivatives up to an order.

    Raises GradcliError of kind torch where a step has no further derivative (G206), bounds where the graph of the
    next one outgrows time or memory.
    """
    widest = Widest()
    outcome = differentiate(request, widest, keep=True)
    inputs = differentiable(outcome)
    flat: set[str] = set()
    found: dict[str, tuple[torch.Tensor | None, ...]] = dict.fromkeys(inputs, (None,) * order)
    if outcome.went_back and inputs:
        starts = roots(request, outcome.results, outcome.upstream)
        with quiet():
            firsts = torch.autograd.grad(
                [root for root, _ in starts], list(inputs.values()), [vector for _, vector in starts],
                create_graph=order > 1, retain_graph=True, allow_unused=True,
            )  # fmt: skip
            for name, first in zip(inputs, firsts, strict=True):
                if first is not None:
                    found[name] = tuple(_chain(outcome, name, readable(first), order, widest, flat))
    pointwise = _pointwise(request.program)
    alike = frozenset(
        name for name, one in inputs.items() if name in pointwise and {one.shape} == {y.shape for y in outcome.results}
    )
    bent = [
        (name, at, one)
        for name, orders in found.items()
        for at, one in enumerate(orders, 1)
        if at > 1 and one is not None
    ]
    return outcome._replace(bent=bent), Higher(order, found, alike, frozenset(flat))


def _chain(
    outcome: Outcome, name: str, first: torch.Tensor, order: int, widest: Widest, flat: set[str]
) -> list[torch.Tensor]:
    """The first derivative by one input, and those of its sum; `flat` gets its name where torch has no second one."""
    leaf = differentiable(outcome)[name]
    found = [first]
    for reached in range(1, order):
        latest = found[-1]
        if not latest.requires_grad:
            found.append(torch.zeros_like(leaf).detach())
            continue
        if reached >= GROWN:
            _admit(outcome, found, reached + 1, widest)
        try:
            (following,) = torch.autograd.grad(
                latest, leaf, torch.ones_like(latest), create_graph=reached + 1 < order, retain_graph=True,
                materialize_grads=True,
            )  # fmt: skip
        except Exception as error:
            if reached > 1 or not stays_constant(outcome, name, name, {name: leaf}):
                raise no_second_derivative(outcome, error) from error
            following = torch.zeros_like(leaf).detach()
            flat.add(name)
        found.append(readable(following))
    return [one.detach() for one in found]


def _admit(outcome: Outcome, found: list[torch.Tensor], order: int, widest: Widest) -> None:
    """Raise GradcliError of kind bounds where the next derivative, by the growth so far, records too much."""
    before, now = (_nodes(one) for one in found[-2:])
    expected = now * now // max(before, 1)
    taken = expected * widest.elements * found[-1].itemsize
    allowed = budget(outcome.request.settings.memory)
    if expected <= NODES and taken <= allowed.left():
        return
    raise GradcliError(
        "bounds", f"derivative {order} would record about {expected:,} operations, {shown(taken)}, where at most "
        f"{NODES:,} and {shown(allowed.limit)} may be taken", span=outcome.request.program.outputs[0].span,
        hint=f"--order {order - 1}",
    )  # fmt: skip


def _nodes(tensor: torch.Tensor) -> int:
    """How many operations a tensor's graph has."""
    return sum(1 for _ in nodes((tensor,)))


def _pointwise(program: Program) -> set[str]:
    """The inputs that only operations that work element by element take to an output."""
    wanted = {ref for output in program.outputs for ref in references(output.operand)}
    mixed: set[str] = set()
    sources: list[set[str]] = []
    for step in program.steps:
        read = {ref for operand in operands(step) for ref in references(operand)}
        names = {step.name} if isinstance(step, Input) else set().union(*(sources[ref] for ref in read))
        if isinstance(step, Call) and not step.function.pointwise:
            mixed |= names
        sources.append(names)
    return set().union(*(sources[ref] for ref in wanted)) - mixed
