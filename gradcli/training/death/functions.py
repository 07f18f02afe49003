"""G206, G209, G210: the operation, or the custom Function, that refuses, and the line that recorded it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gradcli.results import Note
from gradcli.training.death.scene import Scene, line_of
from gradcli.training.sentences import note
from gradcli.training.watching.graph import kind

_BACKWARD = re.compile(r"_?backward\w*$")


def rule(scene: Scene) -> Iterator[Note]:
    """What cannot be differentiated (again), and functions that break their protocol."""
    facts = scene.said.facts
    line = scene.quoted(scene.line)
    operation = facts.get("operation", "").strip("'`\" ").rpartition("::")[2]
    if scene.code == "G210" and _BACKWARD.search(operation):
        name = _BACKWARD.sub("", operation).strip("_")
        made = _made(scene, name)
        yield note("G206", "operation", line=line, operation=name, made=made, subject=name)
    elif scene.code == "G206":
        yield note("G206", "other", line=line, what=scene.said.message.what.format_map(facts),
                  next=scene.said.message.next.format_map(facts))  # fmt: skip
    elif scene.code == "G209":
        function = _function(scene)
        said = scene.said.message
        yield note("G209", "protocol", line=line, name=function or "a custom Function",
                  what=said.what.format_map(facts), next=said.next.format_map(facts), subject=function)  # fmt: skip


def _made(scene: Scene, operation: str) -> str:
    """Where the operation whose backward is differentiated was recorded."""
    alike = [
        node for node in scene.nodes if kind(node).casefold().replace("_", "") == operation.casefold().replace("_", "")
    ]
    line = next((line for node in alike if (line := line_of(node)) is not None), None)
    return f" ({scene.quoted(line)})" if line else ""


def _function(scene: Scene) -> str | None:
    """The name of the user's Function: of the class at hand in a frame, or in the message."""
    named = scene.said.facts.get("node", "").removesuffix("Backward")
    if named and not named.endswith("0"):
        return named
    for frame, _ in reversed(scene.frames):
        owner: Any = frame.f_locals.get("cls") or frame.f_locals.get("self")
        kinds = owner if isinstance(owner, type) else type(owner)
        if any(one.__name__ == "Function" and one.__module__ == "torch.autograd.function" for one in kinds.__mro__):
            return str(kinds.__name__).removesuffix("Backward")
    return None
