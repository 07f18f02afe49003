"""What the nodes of a graph that failed keep for backward: what is gone, and what was written to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["changed", "freed"]


@dataclass(frozen=True)
class Overwritten:
    """A tensor that was written to since a node saved it: its version now and its shape. None: not known."""

    saver: Any
    version: int | None
    shape: tuple[int, ...] | None


def states(nodes: list[Any]) -> Iterator[tuple[Any, str, State]]:
    """The nodes with a saved tensor that can no longer be read, its name, and why."""
    for node in nodes:
        for field in dir(node):
            if not field.startswith("_saved_"):
                continue
            try:
                getattr(node, field)
            except RuntimeError as error:
                text = str(error)
                if "modified by an inplace operation" in text:
                    yield node, field.removeprefix("_saved_"), "changed"
                elif "after they have already been freed" in text:
                    yield node, field.removeprefix("_saved_"), "freed"
            except Exception:  # of a hook of the user's that unpacks what is saved
                continue
