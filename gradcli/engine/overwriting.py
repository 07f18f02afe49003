"""Which step wrote over what which other step had saved for backward, where torch itself tells of versions alone.

After each step the nodes recorded so far are asked for what they saved: a node that refuses for the first time was
written over by this step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from gradcli.engine.defaults import tensors
from gradcli.engine.recording import Request, make_leaves, make_upstream, quiet, record, recordable, seeded
from gradcli.language.program import Call
from gradcli.language.signature import writes

_SAVED = "_saved_"
_RESULTS = frozenset({"result", "result0", "output"})


@dataclass(frozen=True, slots=True)
class Overwritten:
    """The step that wrote, the one that had saved, and whether what it saved is its own result."""

    writer: Call
    owner: Call
    result: bool


def overwritten(request: Request) -> Overwritten | None:
    """The first write over what was saved; None where none is found."""
    watch = _Watch(request)
    try:
        with recordable(), quiet(), seeded(request):
            record(request, make_leaves(request), make_upstream(request), watch)
    except Exception:
        return watch.found
    return watch.found


class _Watch:
    def __init__(self, request: Request) -> None:
        self.steps = request.program.steps
        self.owners: dict[Any, Call] = {}
        self.found: Overwritten | None = None

    def __call__(self, index: int, value: Any) -> None:
        step = self.steps[index]
        if self.found is not None or not isinstance(step, Call):
            return
        if writes(step.function, step.args, step.kwargs):
            for node, owner in self.owners.items():
                name = _changed(node)
                if name is not None:
                    self.found = Overwritten(step, owner, name in _RESULTS)
                    return
        for node in _behind(value, self.owners):
            self.owners[node] = step


def _behind(value: Any, known: dict[Any, Call]) -> Iterator[Any]:
    """The nodes behind a value that are new."""
    waiting = [one.grad_fn for one in tensors(value) if one.requires_grad]
    seen = set()
    while waiting:
        node = waiting.pop()
        if node is not None and node not in known and node not in seen:
            seen.add(node)
            waiting += [one for one, _ in node.next_functions]
            yield node


def _changed(node: Any) -> str | None:
    """The name of what a node saved and torch no longer hands out, because it was written to."""
    for attribute in _attributes(node.__class__):
        try:
            getattr(node, attribute)
        except RuntimeError as error:
            if "modified by an inplace operation" in str(error):
                return attribute.removeprefix(_SAVED)
    return None


@cache
def _attributes(kind: type) -> tuple[str, ...]:
    return tuple(name for name in dir(kind) if name.startswith(_SAVED))
