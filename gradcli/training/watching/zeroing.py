"""Whether gradients are cleared between steps: two small gradients of each optimizer are looked at again."""

from __future__ import annotations

import weakref
from collections.abc import Sequence

import torch

from gradcli.training.watching.groups import Group
from gradcli.training.watching.statistics import dense

SMALL = 65_536  # elements of a parameter that is copied
ENOUGH = 8  # steps that are looked at; then only those with all details


class Zeroing:
    """The gradients that a step left, until the next step."""

    def __init__(self) -> None:
        self.left: dict[int, tuple[Group, list[tuple[weakref.ref[torch.Tensor], weakref.ref[torch.Tensor]]]]] = {}
        self._clean: dict[int, bool] = {}

    def wanted(self, group: Group) -> bool:
        """Whether it is still to be seen if this group's gradients are cleared."""
        return len(group.unclean) < ENOUGH or group.due == group.steps + 1

    def stepped(self, group: Group, params: Sequence[torch.Tensor]) -> None:
        """After a step: remember two of its gradients that are not 0."""
        self.left.pop(id(group), None)
        self._clean.pop(id(group), None)
        found = []
        for one in sorted(params, key=lambda p: p.numel())[:8]:
            gradient = one.grad
            values = None if gradient is None else dense(gradient)
            if gradient is not None and values is not None and bool(values.any()):
                found.append((weakref.ref(one), weakref.ref(gradient)))
            if len(found) == 2:
                break
        if found:
            self.left[id(group)] = (group, found)

    def entered(self) -> None:
        """Before a backward pass that adds to .grad: are they still there? Once clean is enough until the next step."""
        for key, (group, found) in list(self.left.items()):
            if group.here and not self._clean.get(key, False):
                self._clean[key] = any(_cleared(*one) for one in found)

    def stepping(self, group: Group) -> None:
        """Before a step: what was seen since the last one. A gradient set by hand is another tensor."""
        left, clean = self.left.pop(id(group), None), self._clean.pop(id(group), None)
        if left is not None and clean is not None:
            group.unclean.append(not clean and all(_there(*one) for one in left[1]))
            del group.unclean[64:]


def empty(params: Sequence[torch.Tensor]) -> bool:
    """Whether two small parameters have nothing in .grad, as when a closure has cleared what it will add to."""
    gradients = [one.grad for one in sorted(params, key=torch.Tensor.numel)[:2]]
    found = [values for one in gradients if one is not None and (values := dense(one)) is not None]
    return not any(bool(values.any()) for values in found)


class ByHand:
    """The same without an optimizer: a parameter that has changed since the last backward pass was stepped by hand."""

    def __init__(self) -> None:
        self._found: list[tuple[weakref.ref[torch.Tensor], torch.Tensor, weakref.ref[torch.Tensor]]] = []

    def left(self, group: Group, params: Sequence[torch.Tensor]) -> None:
        """After a backward pass: remember two small parameters, and their gradients."""
        self._found = []
        if len(group.unclean) >= ENOUGH:
            return
        for one in sorted(params, key=lambda p: p.numel())[:2]:
            if one.grad is not None and one.numel() <= SMALL and one.layout is torch.strided and dense(one) is not None:
                self._found.append((weakref.ref(one), one.detach().clone(), weakref.ref(one.grad)))

    def entered(self, group: Group) -> None:
        """Before the next: where a parameter was changed, is its gradient still there?"""
        for param, before, _ in self._found:
            now = param()
            if now is not None and not torch.equal(now.detach(), before):
                group.unclean.append(not any(_cleared(one, other) for one, _, other in self._found))
                break
        self._found = []


def _there(param: weakref.ref[torch.Tensor], gradient: weakref.ref[torch.Tensor]) -> bool:
    held, old = param(), gradient()
    return held is not None and old is not None and held.grad is old


def _cleared(param: weakref.ref[torch.Tensor], gradient: weakref.ref[torch.Tensor]) -> bool:
    """Whether a gradient is gone, replaced, or all zero: `.data.zero_()` raises no version, so its numbers are read."""
    old = gradient()
    values = None if old is None else dense(old)
    return not _there(param, gradient) or values is None or not bool(values.any())
