"""A request evaluated again: each call as it was made, with its operands of that moment, and what came back to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.autograd.graph import GradientEdge, get_gradient_edge

from gradcli.engine.defaults import tensors
from gradcli.engine.evaluate import Swap
from gradcli.engine.forward import fresh_leaves
from gradcli.engine.gradient import Outcome, roots
from gradcli.engine.memory import Room
from gradcli.engine.readable import all_readable
from gradcli.engine.recording import Request, is_leaf, quiet, record, recordable, seeded
from gradcli.engine.widening import in_float64
from gradcli.errors import GradcliError
from gradcli.language.program import Bind, Call, Program, operands, references
from gradcli.language.signature import writes

Place = tuple[int, int | None]
"""A step, and which item of its result where that is a tuple."""

Edge = GradientEdge | torch.Tensor
Move = Callable[[str, torch.Tensor], torch.Tensor]
LARGE = 1 << 28  # bytes of values from which memory is counted
COPIES = 4  # of the values that proofs may hold
_WIDE = {True: torch.complex128, False: torch.float64}


@dataclass(slots=True)
class Passed:
    """A call: the values it read and its own, and where the gradients of both arrive."""

    index: int
    step: Call
    operands: dict[int, Any]
    edges: dict[Place, Edge]
    value: Any
    outs: dict[int | None, Edge]
    hands_on: bool
    """Whether its result is one of its operands, or an item of one: nothing was computed."""


@dataclass(slots=True)
class Replay:
    """One evaluation, recorded. Its calls keep their values as long as it lives."""

    request: Request
    leaves: dict[str, torch.Tensor] = field(default_factory=dict)
    calls: list[Passed] = field(default_factory=list)
    results: tuple[torch.Tensor, ...] = ()
    upstream: torch.Tensor | None = None

    def starts(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """The outputs that backward begins at, and the gradient of each."""
        found = []
        for root, vector in roots(self.request, self.results, self.upstream):
            found.append((root, torch.ones_like(root) if vector is None else vector))
        return found

    def arrivals(self) -> dict[Any, torch.Tensor]:
        """What arrives in backward at each edge that a call knows, by `key`."""
        edges = {key(edge): edge for call in self.calls for edge in (*call.edges.values(), *call.outs.values())}
        edges |= {key(leaf): leaf for leaf in self.leaves.values() if leaf.requires_grad}
        return dict(zip(edges, self.pulled(list(edges.values())), strict=True))

    def pulled(self, edges: Sequence[Edge], starts: list[tuple[torch.Tensor, torch.Tensor]] | None = None) -> list[Any]:
        """The gradient at these edges, None where nothing arrives. `starts`: others than those of the request."""
        if not edges:
            return []
        ends: Any = edges  # torch takes edges too
        try:
            begun, vectors = zip(*(self.starts() if starts is None else starts), strict=True)
            found = torch.autograd.grad(begun, ends, vectors, retain_graph=True, allow_unused=True)
        except (RuntimeError, ValueError):  # a step without a derivative; no output that requires grad
            return [None] * len(edges)
        return all_readable(found)

    def gradients(self) -> dict[str, torch.Tensor]:
        """The gradient of each input that has one."""
        named = {name: leaf for name, leaf in self.leaves.items() if leaf.requires_grad}
        found = self.pulled(list(named.values()))
        return {name: one.detach() for name, one in zip(named, found, strict=True) if one is not None}


def readers(program: Program, index: int) -> set[int]:
    """A step, and the steps that its value flows into."""
    carrying = {index}
    for at, step in enumerate(program.steps):
        if any(ref in carrying for operand in operands(step) for ref in references(operand)):
            carrying.add(at)
    return carrying


def pulled_from(edge: Edge, vector: torch.Tensor, leaves: list[torch.Tensor]) -> Sequence[torch.Tensor | None]:
    """What arrives at leaves when this gradient starts at an edge of a graph."""
    start: Any = edge  # torch takes edges too
    return torch.autograd.grad([start], leaves, [vector], retain_graph=True, allow_unused=True)


def key(edge: Edge) -> Any:
    """What tells edges apart: the node and which of its outputs; for a leaf, the tensor."""
    return id(edge) if isinstance(edge, torch.Tensor) else (edge.node, edge.output_nr)


def again(
    outcome: Outcome, *, wide: bool = False, move: Move | None = None, swap: Swap | None = None, keep: bool = True
) -> Replay | None:
    """The request of an outcome evaluated again; None where it cannot be.

    `wide`: in float64; `move(name, value)` gives another point; `keep`: with its calls. Random numbers are replayed.
    """
    request = in_float64(outcome.request) if wide else outcome.request
    if wide and outcome.request.program.random:
        return None
    found = Replay(request)
    try:
        with recordable(), quiet(), seeded(request), torch.enable_grad():
            found.leaves = _leaves(outcome, wide, move)
            watch = _Calls(found, bool(request.program.writes)) if keep else None
            recording = record(request, found.leaves, outcome.upstream, watch, swap)
    except Exception:
        return None
    found.leaves = {**recording.made, **found.leaves}
    found.results, found.upstream = recording.results, recording.upstream
    return found


def _leaves(outcome: Outcome, wide: bool, move: Move | None) -> dict[str, torch.Tensor]:
    leaves = {}
    for name, leaf in fresh_leaves(outcome).items():
        number = leaf.is_floating_point() or leaf.is_complex()
        value = leaf.to(_WIDE[leaf.is_complex()]) if wide and number else leaf
        value = move(name, value) if move is not None else value
        leaves[name] = value.detach().requires_grad_(outcome.leaves[name].requires_grad)
    return leaves


class _Calls:
    """Collects calls while they run. Where a program writes, values are copied, and copied anew when written to."""

    def __init__(self, found: Replay, copies: bool) -> None:
        self.found = found
        self.steps = found.request.program.steps
        self.copies = copies
        self.live: dict[int, Any] = {}
        self.kept: dict[int, Any] = {}
        self.edges: dict[int, dict[int | None, Edge]] = {}
        self.bytes = 0
        self.room: Room | None = None

    def __call__(self, index: int, value: Any) -> None:
        step = self.steps[index]
        read = {ref for operand in operands(step) for ref in references(operand)}
        given = {id(one) for ref in read for one in tensors(self.live.get(ref))}
        handed = not isinstance(value, torch.Tensor | tuple) or all(id(one) in given for one in tensors(value))
        before = {ref: self.kept[ref] for ref in read if ref in self.kept}
        edges = {(ref, part): edge for ref in before for part, edge in self.edges[ref].items()}
        if isinstance(step, Call):
            writing = self.copies and writes(step.function, step.args, step.kwargs)
            if writing:
                self._refresh(step)
                handed = False
            if step.style == "store":
                value = self.live.get(references(step.args[0])[0])
        self._note(index, value)
        if isinstance(step, Call):
            self.found.calls.append(Passed(index, step, before, edges, self.kept[index], self.edges[index], handed))
        for done in self.found.request.program.frees[index]:
            self.live.pop(done, None)

    def _note(self, index: int, value: Any) -> None:
        self.live[index] = value
        same = isinstance(self.steps[index], Bind)
        self.kept[index] = self._copied(value) if not same or self.copies else value
        self.edges[index] = dict(_edges(value))
        self._weigh(value)

    def _weigh(self, value: Any) -> None:
        """Stop where values, what arrives at them and the same in float64 would not fit into the memory left."""
        self.bytes += sum(one.numel() * one.itemsize for one in tensors(value))
        if self.bytes > LARGE:
            self.room = self.room or Room(self.found.request.settings.memory)
            if COPIES * self.bytes > self.room.budget.left():
                raise GradcliError("bounds", "the proofs would need more memory than there is")

    def _refresh(self, step: Call) -> None:
        """Copy anew what shares memory with the tensor that a step wrote to."""
        target = self.live.get(next(iter(references(step.args[0])), -1)) if step.args else None
        if not isinstance(target, torch.Tensor):
            return
        memory = target.untyped_storage().data_ptr()
        for ref, value in self.live.items():
            if isinstance(value, torch.Tensor) and value.untyped_storage().data_ptr() == memory:
                self._note(ref, value)

    def _copied(self, value: Any) -> Any:
        if not self.copies:
            return value
        if isinstance(value, torch.Tensor):
            return value.detach().clone()
        return tuple(map(self._copied, value)) if isinstance(value, tuple) else value


def _edges(value: Any) -> Iterator[tuple[int | None, Edge]]:
    """Where the gradient of a value, or of its items, arrives."""
    parts = enumerate(value) if isinstance(value, (tuple, list)) else [(None, value)]
    for part, one in parts:
        if isinstance(one, torch.Tensor) and one.requires_grad:
            yield part, one if is_leaf(one) else get_gradient_edge(one)
