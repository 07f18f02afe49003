"""Variables that hold the graphs of several steps: a total that was not detached, a list of losses."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from types import ModuleType
from typing import Any

import torch

from gradcli.training.watching.graph import roots

KEPT = 4096  # steps whose place in the order of operations is remembered
NODES = 5_000  # of a variable's graph
ITEMS = 200  # of a container, taken from both ends
NEXT: Callable[[], int] | None = getattr(torch._C._autograd, "_get_sequence_nr", None)  # of what is recorded next


@dataclass(frozen=True, slots=True)
class Held:
    """A variable, the steps whose graphs it reaches, and whether it is a container of several tensors."""

    name: str
    steps: int
    container: bool


class Holding:
    """Where steps begin in the order of operations, and which variables reach back over them."""

    def __init__(self) -> None:
        self.starts: deque[int] = deque(maxlen=KEPT)
        self.held: dict[tuple[int, str], Held] = {}

    def began(self, outputs: Iterable[Any]) -> None:
        """A backward pass begins: all that was recorded before belongs to this step or an earlier one."""
        if NEXT is not None:
            self.starts.append(NEXT() - 1)
        else:
            self.starts.extend(node._sequence_nr() for node in islice(roots(outputs), 1))

    def look(self, variables: Mapping[str, object]) -> None:
        """Which variables hold graphs of several steps now."""
        starts = list(self.starts)
        ordered = all(a <= b for a, b in pairwise(starts))
        for key, name, value in _places(variables):
            tensors = list(_tensors(value, 2))
            if not tensors:
                continue
            container = not isinstance(value, torch.Tensor)
            steps = _reached(tensors, starts) if ordered and len(starts) > 1 else 0
            if not starts and container:
                steps = _apart(tensors)
            old = self.held.get(key)
            if steps > (old.steps if old else 1):
                self.held[key] = Held(old.name if old else name, steps, container)


def _places(variables: Mapping[str, object]) -> Iterator[tuple[tuple[int, str], str, object]]:
    """Variables, and attributes of objects that are variables; each with what it is known by, whatever its name."""
    met: set[int] = set()
    for name, value in variables.items():
        if isinstance(value, (torch.Tensor, list, tuple, dict, deque)):
            yield (0, name), name, value
        elif id(value) not in met and not isinstance(value, (type, ModuleType, torch.optim.Optimizer)):
            met.add(id(value))
            for attribute, one in list(getattr(value, "__dict__", {}).items()):
                if not attribute.startswith("_") and isinstance(one, (torch.Tensor, list, tuple, dict, deque)):
                    yield (id(value), attribute), f"{name}.{attribute}", one


def _tensors(value: object, depth: int) -> Iterator[torch.Tensor]:
    """The tensors with a graph that a variable holds."""
    if isinstance(value, torch.Tensor):
        if value.grad_fn is not None:
            yield value
        return
    items: Iterable[object] = ()
    if isinstance(value, (list, tuple, deque)):
        items = list(value)
    elif isinstance(value, dict):
        items = list(value.values())
    found = list(items)
    if depth:
        for one in found if len(found) <= ITEMS else found[: ITEMS // 2] + found[-ITEMS // 2 :]:
            yield from _tensors(one, depth - 1)


def _nodes(tensor: torch.Tensor, most: int) -> dict[Any, int]:
    """The nodes of a tensor's graph and their places in the order of operations."""
    found: dict[Any, int] = {}
    waiting = [tensor.grad_fn]
    while waiting and len(found) < most:
        node = waiting.pop()
        if node is None or node in found or hasattr(node, "variable"):
            continue
        found[node] = node._sequence_nr()
        waiting.extend(following for following, _ in node.next_functions)
    return found


def _reached(tensors: list[torch.Tensor], starts: list[int]) -> int:
    """Over how many steps the nodes of a graph are spread."""
    steps: set[int] = set()
    left = NODES
    for one in tensors:
        found = _nodes(one, left)
        left -= len(found)
        steps.update(bisect_left(starts, number) for number in found.values())
        if left <= 0:
            break
    # What is done with a loss after backward is recorded before the next step begins, and belongs to it then.
    return len(steps) - (len(starts) in steps and len(steps) > 1)


def _apart(tensors: list[torch.Tensor]) -> int:
    """How many single numbers with graphs that share nothing a container holds."""
    seen: set[Any] = set()
    count = 0
    for one in tensors:
        if one.numel() == 1:
            found = set(_nodes(one, NODES // 10))
            count += not found & seen
            seen |= found
    return count
