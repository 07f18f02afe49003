"""Where gradients that are not finite come from: the calls that received finite ones and gave back NaN or Inf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from gradcli.engine.defaults import parts_of
from gradcli.engine.proving.again import Edge
from gradcli.engine.proving.alone import Upstream, emitted, spreads
from gradcli.engine.proving.arriving import Arrival, Graph, key
from gradcli.engine.proving.passing import Passed, Place
from gradcli.engine.proving.replay import Replay


@dataclass(slots=True)
class Origin:
    """A call, what it received and gave back to one operand, the elements of inputs that this spoils, with NaN or not.

    `spread`: what it gave back has an element for each of the result, not of the operand. `zeros`: the elements of the
    result that received exactly 0 and for which something not finite came back.
    """

    call: Passed
    place: Place
    received: dict[int | None, torch.Tensor]
    given: torch.Tensor
    spread: bool
    zeros: torch.Tensor | None
    spoils: dict[str, torch.Tensor]
    nan: bool

    @property
    def bad(self) -> torch.Tensor:
        """The elements of what it gave back that are not finite."""
        return ~self.given.isfinite()


def origins(replay: Replay) -> list[Origin]:
    """Every call that made NaN or Inf of finite gradients, the last of the program first, if inputs suffer from it."""
    found = []
    with replay.graph() as graph:
        if graph is None:
            return []
        for call in replay.fetched(_spoilers(graph)):
            received = graph.received(call.index)
            finite = {part: torch.where(one.isfinite(), one, 0) for part, one in received.items()}
            for place, given in emitted(call, finite, spread=True).items():
                if _bad(given):
                    origin = _origin(graph, call, place, received, finite, given)
                    if origin is not None:
                        found.append(origin)
                        break  # of several operands the first
    return found


def _spoilers(graph: Graph) -> list[int]:
    """The calls that received something, and at an operand of which something not finite arrived; the last first."""
    arrived = graph.arrivals()

    def spoiled(edge: Any) -> bool:
        arrival: Arrival | None = arrived.get(key(edge))
        return arrival is not None and not arrival.finite

    return [
        index
        for index, call in reversed(graph.wired.items())
        if not call.hands_on
        and any(map(spoiled, call.edges.values()))
        and any(key(edge) in arrived for edge in call.outs.values())
    ]


def _bad(value: torch.Tensor | None) -> bool:
    return value is not None and not bool(value.isfinite().all())


def _origin(
    graph: Graph, call: Passed, place: Place, received: dict[int | None, torch.Tensor],
    finite: dict[int | None, torch.Tensor], given: torch.Tensor,
) -> Origin | None:  # fmt: skip
    spread = spreads(call) and given.shape == call.value.shape
    folded = emitted(call, finite).get(place) if spread else given
    if folded is None:
        return None
    edge = graph.wired[call.index].edges[place]
    spoils, nan = _spoiled(graph, edge, torch.where(folded.isfinite(), 0, folded))
    if not spoils:
        return None
    return Origin(call, place, received, given, spread, _zeros(call, place, received, given, spread), spoils, nan)


def _zeros(
    call: Passed, place: Place, received: dict[int | None, torch.Tensor], given: torch.Tensor, spread: bool
) -> torch.Tensor | None:
    """The elements of the result that nothing came back for, or exactly 0, and that gave something not finite."""
    if not isinstance(call.value, torch.Tensor) or None not in received:
        return None
    zero = received[None] == 0
    if spread:
        zero = zero & ~given.isfinite()
    elif _bad(emitted(call, {None: torch.zeros_like(received[None])}).get(place)):
        pass  # a slope that is not finite met a 0 somewhere among these
    else:
        return None
    return zero if bool(zero.any()) else None


def _spoiled(graph: Graph, edge: Edge, bad: torch.Tensor) -> tuple[dict[str, torch.Tensor], bool]:
    """The elements of each input that are not finite when only this arrives at an edge, and whether any is NaN."""
    with_it = graph.sent(edge, bad)
    without = graph.sent(edge, torch.zeros_like(bad))
    found = {name: ~one.isfinite() for name, one in with_it.items()}
    alone = {name: mask & without[name].isfinite() for name, mask in found.items() if name in without}
    chosen = alone if any(bool(mask.any()) for mask in alone.values()) else found
    spoiled = {name: mask for name, mask in chosen.items() if bool(mask.any())}
    return spoiled, any(bool(with_it[name][mask].isnan().any()) for name, mask in spoiled.items())


def local_slopes(call: Passed, place: Place, vector: Upstream | None = None) -> torch.Tensor | None:
    """The slope of a call by one operand: for each element of its result where it works element by element."""
    ones = vector or {part: torch.ones_like(one) for part, one in parts_of(call.value).items()}
    return emitted(call, ones, spread=True).get(place)
