"""A request evaluated again: at its point or at another, as it is or in float64.

No value is kept beyond its last use. Unless a graph is asked for, what steps save for backward is let go at once, so
that an evaluation of a thousand steps takes the memory of one of ten.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd.graph import GradientEdge, saved_tensors_hooks

from gradcli.engine.evaluate import Swap, Watch
from gradcli.engine.forward import fresh_leaves
from gradcli.engine.gradient import Outcome, roots
from gradcli.engine.pulling import pulled
from gradcli.engine.readable import all_readable
from gradcli.engine.recording import Request, quiet, record, recordable, seeded
from gradcli.engine.widening import in_float64
from gradcli.errors import GradcliError

Edge = GradientEdge | torch.Tensor
Move = Callable[[str, torch.Tensor], torch.Tensor]

_WIDE = {True: torch.complex128, False: torch.float64}
_NO_MEMORY = re.compile(r"not enough memory|out of memory|can't allocate|cannot allocate", re.IGNORECASE)


class Short(Exception):  # a fact about this machine, not an error of the request
    """A proof needs more memory than there is."""


def short_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory is what was wanting."""
    if isinstance(error, GradcliError):
        return error.kind == "bounds"
    return isinstance(error, (MemoryError, Short)) or bool(_NO_MEMORY.search(str(error)))


@dataclass(slots=True)
class Again:
    """One evaluation: its leaves and its outputs, live where its graph was recorded."""

    request: Request
    leaves: dict[str, torch.Tensor]
    results: tuple[torch.Tensor, ...]
    upstream: torch.Tensor | None

    @property
    def wanting(self) -> dict[str, torch.Tensor]:
        """The leaves that require grad."""
        return {name: leaf for name, leaf in self.leaves.items() if leaf.requires_grad}

    def starts(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """The outputs that backward begins at, and the gradient of each."""
        found = []
        for root, vector in roots(self.request, self.results, self.upstream):
            found.append((root, torch.ones_like(root) if vector is None else vector))
        return found

    def pulled(
        self, edges: Sequence[Edge], starts: list[tuple[torch.Tensor, torch.Tensor]] | None = None, keep: bool = True
    ) -> list[Any]:
        """The gradient at these edges, None where nothing arrives. `starts`: others than those of the request."""
        if not edges:
            return []
        ends: Any = edges  # torch takes edges too
        try:
            begun, vectors = zip(*(self.starts() if starts is None else starts), strict=True)
            found = pulled(begun, ends, vectors, retain_graph=keep, allow_unused=True)
        except (RuntimeError, ValueError) as error:  # a step without a derivative; no output that requires grad
            if short_of_memory(error):
                raise Short from error
            return [None] * len(edges)
        return all_readable(found)

    def gradients(self, starts: list[tuple[torch.Tensor, torch.Tensor]] | None = None) -> dict[str, torch.Tensor]:
        """The gradient of each input that has one. The graph is gone then."""
        named = self.wanting
        found = self.pulled(list(named.values()), starts, keep=False)
        return {name: one.detach() for name, one in zip(named, found, strict=True) if one is not None}


def again(
    outcome: Outcome, *, wide: bool = False, move: Move | None = None, swap: Swap | None = None,
    watch: Watch | None = None, recorded: bool = False,
) -> Again | None:  # fmt: skip
    """The request of an outcome evaluated again; None where it cannot be.

    `wide`: in float64; `move(name, value)` gives another point; `recorded`: with its graph, to go back through.
    Random numbers are replayed. Raises Short where memory is wanting.
    """
    request = in_float64(outcome.request) if wide else outcome.request
    if wide and outcome.request.program.random:
        return None
    try:
        with recordable(), quiet(), seeded(request), torch.enable_grad(), _NOTHING if recorded else forgetting():
            leaves = leaves_of(outcome, wide, move)
            recording = record(request, leaves, outcome.upstream, watch, swap)
    except Exception as error:
        if short_of_memory(error):
            raise Short from error
        return None
    return Again(request, {**recording.made, **leaves}, recording.results, recording.upstream)


def leaves_of(outcome: Outcome, wide: bool, move: Move | None = None) -> dict[str, torch.Tensor]:
    """The inputs of another evaluation."""
    leaves = {}
    for name, leaf in fresh_leaves(outcome).items():
        number = leaf.is_floating_point() or leaf.is_complex()
        value = leaf.to(_WIDE[leaf.is_complex()]) if wide and number else leaf
        value = move(name, value) if move is not None else value
        leaves[name] = value.detach().requires_grad_(outcome.leaves[name].requires_grad)
    return leaves


_NOTHING: AbstractContextManager[Any] = nullcontext()


def forgetting() -> AbstractContextManager[Any]:
    """A while in which nothing is saved for backward; flags and nodes are as ever."""
    return saved_tensors_hooks(_forget, _forget)


def _forget(_: Any) -> Any:
    return None
