"""The evidence of an evaluation, made again whenever a proof needs it, and never kept for longer.

What is known of all calls at once are facts without numbers (`Known`). Values come by in one pass (`scan`), for the few
calls that a proof is about again (`fetched`), and gradients through a graph that lives as long as its proof (`graph`).
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from gradcli.engine.defaults import tensors
from gradcli.engine.gradient import Outcome
from gradcli.engine.proving.again import again
from gradcli.engine.proving.arriving import Graph
from gradcli.engine.proving.beside import Beside
from gradcli.engine.proving.passing import Look, Passed, Passing
from gradcli.language.program import Call, Program, operands, references

KEPT = 1 << 18  # bytes of values that a proof holds at a time, unless those of one call are more


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a call without its numbers; `deciding`: operands that are conditions or indices."""

    index: int
    step: Call
    reads: frozenset[int]
    shapes: dict[int, torch.Size]
    shape: torch.Size | None
    deciding: frozenset[int]
    decides: bool
    hands_on: bool
    bytes: int


@dataclass(frozen=True, slots=True)
class Replay:
    """An outcome that can be evaluated again, in its own dtype or in float64."""

    outcome: Outcome
    wide: bool
    calls: dict[int, Known]
    results: tuple[torch.Tensor, ...]

    @property
    def program(self) -> Program:
        return self.outcome.request.program

    def scan(self, look: Look, only: Container[int] | None = None) -> None:
        """Show every call, or those of `only`, in order, with its values of the moment."""
        again(self.outcome, wide=self.wide, watch=Passing(self.program, look, only))

    def scan_beside(self, look: Any) -> None:
        """The same with `look(call, true)`: what a call gives in float64 too."""
        beside = Beside(self.outcome, wide=True)
        passing = Passing(self.program, lambda call: look(call, beside.value))

        def watch(index: int, value: Any) -> None:
            beside(index)
            passing(index, value)

        again(self.outcome, watch=watch)

    def fetched(self, indices: Collection[int]) -> Iterator[Passed]:
        """These calls with their values, in the order given: as many at a time as are small together."""
        waiting = [self.calls[index] for index in indices]
        while waiting:
            batch = [waiting.pop(0)]
            while waiting and sum(one.bytes for one in batch) + waiting[0].bytes <= KEPT:
                batch.append(waiting.pop(0))
            found: dict[int, Passed] = {}
            only = {one.index for one in batch}
            watch = Passing(self.program, lambda call, found=found: found.setdefault(call.index, call), only)  # type: ignore[misc]
            again(self.outcome, wide=self.wide, watch=watch)
            for one in batch:
                if one.index in found:
                    yield found.pop(one.index)

    def call(self, index: int) -> Passed:
        """One call with its values."""
        return next(self.fetched([index]))

    @contextmanager
    def graph(self) -> Iterator[Graph | None]:
        """Its graph, for a while; None where it cannot be recorded."""
        yield Graph.of(self.outcome, self.wide)

    def gradients(self, starts: Any = None) -> dict[str, torch.Tensor]:
        """The gradient of each input that has one. `starts(results)`: where to begin instead."""
        found = again(self.outcome, wide=self.wide, recorded=True)
        return found.gradients(starts(found.results) if starts is not None else None) if found is not None else {}


def replay(outcome: Outcome, wide: bool = False) -> Replay | None:
    """What can be found out about an outcome by evaluating it again; None where that cannot be."""
    calls: dict[int, Known] = {}

    def look(call: Passed) -> None:
        calls[call.index] = _known(call)

    found = again(outcome, wide=wide, watch=Passing(outcome.request.program, look))
    return Replay(outcome, wide, calls, tuple(one.detach() for one in found.results)) if found is not None else None


def _known(call: Passed) -> Known:
    read = [one for operand in call.operands.values() for one in tensors(operand)]
    return Known(
        index=call.index,
        step=call.step,
        reads=frozenset(call.operands),
        shapes={ref: one.shape for ref, one in call.operands.items() if isinstance(one, torch.Tensor)},
        shape=call.value.shape if isinstance(call.value, torch.Tensor) else None,
        deciding=frozenset(ref for ref, one in call.operands.items() if decides(one)),
        decides=decides(call.value),
        hands_on=call.hands_on,
        bytes=sum(one.numel() * one.itemsize for one in (*read, *tensors(call.value))),
    )


def decides(value: Any) -> bool:
    """Whether a value is a condition or an index."""
    return isinstance(value, torch.Tensor) and not (value.is_floating_point() or value.is_complex())


def readers(program: Program, index: int) -> set[int]:
    """A step, and the steps that its value flows into."""
    carrying = {index}
    for at, step in enumerate(program.steps):
        if any(ref in carrying for operand in operands(step) for ref in references(operand)):
            carrying.add(at)
    return carrying
