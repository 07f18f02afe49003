"""The steps at which nothing is to be written down: nearly all of a long training.

What a step costs then is hardly what is computed: a network of any size has driven this code out of the processor's
caches since the last step, and each function and object that is touched must be fetched anew. So each event has one
flat function here, which asks whether anything is to be done, and hands over to the whole event where there is.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any

import torch

from gradcli.training.watching.alarm import FEW
from gradcli.training.watching.holding import NEXT
from gradcli.training.watching.passing import CURRENT
from gradcli.training.watching.zeroing import ENOUGH

if TYPE_CHECKING:
    from gradcli.training.watching.events import Events

Event = Callable[..., Any]
Busy = Callable[[], object]

_TENSORS = {torch.Tensor}
_SCALAR = torch.Size(())


def passing(seen: Events, whole: Event, busy: Busy) -> Event:
    """Before a run of the engine from a finite loss on the CPU."""
    groups, free, births, starts = seen.book.groups, seen.book.free, seen.births, seen.holding.starts
    stepping = seen.stepping

    def passing(outputs: Any, accumulates: bool) -> Any:
        try:
            if (
                busy() or seen.backwards + 1 >= seen.passing.due or seen.fresh or seen.zeroing.left or births.singular
                or stepping.now is not None
                or not groups or free.records or not accumulates or len(outputs) != 1 or NEXT is None
                or type(one := outputs[0]) is not torch.Tensor or not one.is_cpu or one.shape != _SCALAR
                or CURRENT() is not None or (loss := one.item()) - loss != 0
            ):  # fmt: skip
                return whole(outputs, accumulates)
        except Exception:  # the whole event tells what it is
            return whole(outputs, accumulates)
        stepping.loss = loss
        seen.backwards += 1
        here = get_ident()
        for group in list(groups.values()):
            if group.thread == here:
                group.backwards += 1
        starts.append(NEXT() - 1)
        return None

    return passing


def before(seen: Events, whole: Event, busy: Busy) -> Event:
    """Before a step at which nothing is due, no gradient is missing, and the one that stands for all is finite."""
    groups, stepping, zeroing = seen.book.groups, seen.stepping, seen.zeroing

    def before(optimizer: Any, arguments: Any, keywords: Any) -> Any:
        try:
            group = None if busy() else groups.get(id(optimizer))
            if (
                group is None or group.steps + 1 >= group.next or stepping.now is not None or zeroing.left
                or group.ref is None or group.ref() is not optimizer or len(arguments) != 1 or keywords
                or group.thread != get_ident() or group.waiting or not group.backwards or seen.on_step is not None
            ):  # fmt: skip
                return whole(optimizer, arguments, keywords)
            gradients: list[Any] = [one.grad for part in optimizer.param_groups for one in part["params"]]  # type: ignore[union-attr]
            if set(map(type, gradients)) != _TENSORS or len(gradients) != len(group.records):
                return whole(optimizer, arguments, keywords)
            one: torch.Tensor = gradients[group.sentinel]
            if not one.is_cpu or one.dim() != 1 or len(one) > FEW or (total := sum(one.tolist())) - total != 0:
                return whole(optimizer, arguments, keywords)
        except Exception:  # the whole event tells what it is
            return whole(optimizer, arguments, keywords)
        group.steps += 1
        group.backwards = 0
        stepping.now = (group, False)
        return None

    return before


def after(seen: Events, whole: Event) -> Event:
    """After a step of which nothing was kept for this moment."""
    stepping, births = seen.stepping, seen.births

    def after(optimizer: Any, arguments: Any, keywords: Any) -> Any:
        if stepping.now is None:
            return None
        group, closure = stepping.now
        if (
            closure or stepping.samples or births.singular or seen.on_step is not None or len(group.unclean) < ENOUGH
            or group.steps + 1 >= group.due or group.steps >= seen.look_next or group.ref is None
            or group.ref() is not optimizer
        ):  # fmt: skip
            return whole(optimizer, arguments, keywords)
        stepping.now = None
        return None

    return after
