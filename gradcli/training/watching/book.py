"""The book of a training: the record of every leaf, and the group of every optimizer, found by identity."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from threading import get_ident
from typing import Any

import torch

from gradcli.training.watching.groups import Group
from gradcli.training.watching.records import Record


class Book:
    """All records, by the identity of their tensor, and all groups."""

    def __init__(self) -> None:
        self._records: dict[int, Record] = {}
        self.all: list[Record] = []
        self.groups: dict[int, Group] = {}
        self.free = Group(None)

    def record(self, leaf: torch.Tensor) -> Record:
        """The record of a leaf, a new one where it is not known."""
        found = self._records.get(id(leaf))
        if found is not None and found.ref() is leaf:
            return found
        made = Record(
            weakref.ref(leaf), tuple(leaf.shape), leaf.dtype, str(leaf.device), isinstance(leaf, torch.nn.Parameter),
            place=len(self.all), requires_grad=leaf.requires_grad,
        )  # fmt: skip
        self._records[id(leaf)] = made
        self.all.append(made)
        return made

    def known(self, leaf: torch.Tensor) -> Record | None:
        """The record of a leaf where there is one."""
        found = self._records.get(id(leaf))
        return found if found is not None and found.ref() is leaf else None

    def keep(self, record: Record) -> None:
        """Put a leaf that no optimizer holds to the others; to those of the first thread that has any."""
        if not self.free.records:
            self.free.thread = get_ident()
        if self.free.here and record not in self.free.records:
            self.free.records.append(record)

    def group(self, optimizer: Any) -> Group:
        """The group of an optimizer, its records those of the parameters that it holds now."""
        found = self.groups.get(id(optimizer))
        if found is None or found.optimizer is not optimizer:
            label = type(optimizer).__name__
            same = sum(
                one.label is not None and one.label.partition(" ")[0] == label for one in list(self.groups.values())
            )
            found = Group(f"{label} {same + 1}" if same else label, weakref.ref(optimizer))
            key = id(optimizer)
            if key in self.groups:  # an optimizer that is gone had this identity
                self.groups[-len(self.groups) - 1] = self.groups.pop(key)
            self.groups[key] = found
        return found

    def hold(self, group: Group, params: list[torch.Tensor]) -> None:
        """Bring the records of a group up to date with the optimizer's parameters."""
        ids = list(map(id, params))
        if ids == group.ids and all(one.ref() is p for one, p in zip(group.records, params, strict=True)):
            return
        group.records = [self.record(one) for one in params]
        group.ids = ids
        group.waiting, group.next = True, 0
        for one in group.records:
            one.optimizer = group.label

    def here(self) -> list[Group]:
        """The groups of optimizers that are stepped in this thread."""
        return [one for one in list(self.groups.values()) if one.here]

    def every(self) -> Iterator[Group]:
        """Groups of optimizers, then that of leaves that no optimizer holds."""
        yield from list(self.groups.values())
        yield self.free
