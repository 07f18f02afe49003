"""Where derivatives of a higher order are not finite though the gradient is: calls that bend infinitely at their point.

A call counts that backward comes to, and whose own derivative of that order, at its own operands, is not finite while
those of lower orders are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch

from gradcli.engine.defaults import parts_of
from gradcli.engine.proving.again import Short, short_of_memory
from gradcli.engine.proving.alone import cut_off, result_of, spreads, unequal
from gradcli.engine.proving.arriving import key
from gradcli.engine.proving.masking import excluded
from gradcli.engine.proving.passing import Passed, Place
from gradcli.engine.proving.replay import Replay

Kind = Literal["masked", "slope", "product"]
Bent = tuple[str, int, torch.Tensor]
"""An input, an order, and the derivative of that order by it: of its shape, or with more behind it."""


@dataclass(frozen=True, slots=True)
class Bend:
    """A call, its operand, the order, the elements of the operand (or of the result) concerned, the first's operand."""

    kind: Kind
    call: Passed
    place: Place
    order: int
    where: torch.Tensor
    at: float
    slope: float
    spoils: dict[str, torch.Tensor]


def bends(replay: Replay, bent: Sequence[Bent]) -> list[Bend]:
    """The calls that derivatives of the lowest order that is not finite owe it to."""
    bad = [one for one in bent if not bool(one[2].isfinite().all())]
    if not bad:
        return []
    order = min(one[1] for one in bad)
    spoils: dict[str, torch.Tensor] = {}
    nan = False
    for name, at, value in bad:
        if at == order:
            shape = replay.outcome.inputs[name].value.shape
            mask = (~value.isfinite()).reshape(*shape, -1).any(-1)
            spoils[name] = spoils[name] | mask if name in spoils else mask
            nan |= bool(value.isnan().any())
    with replay.graph() as graph:
        arrived = graph.arrivals() if graph is not None else {}
        wired = graph.wired if graph is not None else {}
        live = [
            index
            for index, call in wired.items()
            if not call.hands_on and call.edges and any(key(edge) in arrived for edge in call.outs.values())
        ]
    found = []
    for call in replay.fetched(live):
        for place in call.edges:
            one = _bend(replay, call, place, order, spoils, nan)
            if one is not None:
                found.append(one)
                break
    return found


def _bend(
    replay: Replay, call: Passed, place: Place, order: int, spoils: dict[str, torch.Tensor], nan: bool
) -> Bend | None:
    looked = _local(call, place, order)
    if looked is None or not isinstance(call.value, torch.Tensor):
        return None
    operand, slope = looked
    where = ~slope.isfinite()
    if not bool(where.any()):
        return None
    first = int(where.reshape(-1).to(torch.uint8).argmax())
    masked = where if where.shape == call.value.shape else torch.ones(call.value.shape, dtype=torch.bool)
    kind: Kind = "product" if nan else "slope"
    if nan and excluded(replay, call.index, masked, call.value):
        kind = "masked"
    at, steep = (float(one.reshape(-1)[first]) for one in (operand, slope))
    return Bend(kind, call, place, order, where, at, steep, spoils)


def _local(call: Passed, place: Place, order: int) -> tuple[torch.Tensor, torch.Tensor] | None:
    """An operand, and a call's own derivative of an order by it, where those before are finite."""
    if call.step.function.random:
        return None
    try:
        with torch.enable_grad():
            values, leaves = cut_off(call, call.operands, spread=spreads(call))
            leaf = leaves.get(place)
            if leaf is None or leaf.is_complex():
                return None
            parts = [one for one in parts_of(result_of(call, values)).values() if one.requires_grad]
            latest = torch.stack([(one * unequal(one)).sum() for one in parts]).sum()
            for _ in range(order):
                if not latest.requires_grad or not bool(latest.isfinite().all()):
                    return None
                (latest,) = torch.autograd.grad(latest.sum(), leaf, create_graph=True, materialize_grads=True)
    except Exception as error:
        if short_of_memory(error):
            raise Short from error
        return None
    return leaf.detach(), latest.detach()
