"""Calls seen one after another while they run: each with the operands that it read and its result."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd.graph import get_gradient_edge

from gradcli.engine.defaults import tensors
from gradcli.engine.proving.again import Edge
from gradcli.engine.recording import is_leaf
from gradcli.language.program import Bind, Call, Program, operands, references
from gradcli.language.signature import writes

Place = tuple[int, int | None]
"""A step, and which item of its result where that is a tuple."""


@dataclass(slots=True)
class Passed:
    """A call: the values it read and its own, and where the gradients of both arrive in that evaluation's graph."""

    index: int
    step: Call
    operands: dict[int, Any]
    edges: dict[Place, Edge]
    value: Any
    outs: dict[int | None, Edge]
    hands_on: bool
    """Whether its result is one of its operands, or an item of one: nothing was computed."""


Look = Callable[[Passed], None]


class Passing:
    """A watch that shows calls to a look, those of `only`, or all.

    Values are let go with the evaluation's own. Where a program writes, those still to be read are copied, and copied
    anew when written to.
    """

    def __init__(self, program: Program, look: Look, only: Container[int] | None = None) -> None:
        self.program = program
        self.look = look
        self.only = only
        self.live: dict[int, Any] = {}
        self.kept: dict[int, Any] = {}
        self.edges: dict[int, dict[int | None, Edge]] = {}

    def __call__(self, index: int, value: Any) -> None:
        step = self.program.steps[index]
        if isinstance(step, Call):
            read = {ref for operand in operands(step) for ref in references(operand)}
            given = {id(one) for ref in read for one in tensors(self.live.get(ref))}
            handed = not isinstance(value, torch.Tensor | tuple) or all(id(one) in given for one in tensors(value))
            before = {ref: self.kept[ref] for ref in read if ref in self.kept}
            edges = {(ref, part): edge for ref in before for part, edge in self.edges[ref].items()}
            if self.program.writes and writes(step.function, step.args, step.kwargs):
                self._refresh(step)
                handed = False
            if step.style == "store":
                value = self.live.get(references(step.args[0])[0])
            self._note(index, value)
            if self.only is None or index in self.only:
                self.look(Passed(index, step, before, edges, self.kept[index], self.edges[index], handed))
        else:
            self._note(index, value)
        for done in self.program.frees[index]:
            for kept in (self.live, self.kept, self.edges):
                kept.pop(done, None)

    def _note(self, index: int, value: Any) -> None:
        same = isinstance(self.program.steps[index], Bind) and not self.program.writes
        self.live[index] = value
        self.kept[index] = value if same else self._copied(value)
        self.edges[index] = dict(_edges(value))

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
        if not self.program.writes:
            return value
        if isinstance(value, torch.Tensor):
            return value.detach().clone()
        return tuple(map(self._copied, value)) if isinstance(value, tuple) else value


def _edges(value: Any) -> Iterator[tuple[int | None, Edge]]:
    """Where the gradient of a value, or of its items, arrives."""
    parts = enumerate(value) if isinstance(value, (tuple, list)) else [(None, value)]
    for part, one in parts:
        if isinstance(one, torch.Tensor) and one.requires_grad:
            yield part, edge_of(one)


def edge_of(tensor: torch.Tensor) -> Edge:
    """Where the gradient of a tensor arrives."""
    return tensor if is_leaf(tensor) else get_gradient_edge(tensor)
