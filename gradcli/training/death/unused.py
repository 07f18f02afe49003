"""G104: which of the tensors that grad() was asked for do not lead to the output."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gradcli.results import Note
from gradcli.training.death.scene import Scene
from gradcli.training.sentences import note

NAMED = 4  # tensors that a sentence names


def rule(scene: Scene) -> Iterator[Note]:
    """Inputs of grad() that backward never reaches."""
    if scene.said.message.name != "unused-input":
        return
    inputs = scene.local("grad", "inputs") or ()
    inputs = [
        one for one in ([inputs] if isinstance(inputs, torch.Tensor) else inputs) if isinstance(one, torch.Tensor)
    ]
    reached = _leaves(scene)
    unused = [one for one in inputs if not (id(one) in reached if one.is_leaf else one.grad_fn in set(scene.nodes))]
    names = [scene.name(one) or f"input {inputs.index(one)}" for one in unused]
    if not names:
        yield note("G104", "asked_unknown", line=scene.quoted(scene.line))
        return
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    yield note("G104", "asked", line=scene.quoted(scene.line), names=", ".join(names[:NAMED]) + more,
              count=len(names), of=len(inputs), subject=names[0])  # fmt: skip


def _leaves(scene: Scene) -> set[int]:
    return {
        id(following.variable) for node in scene.nodes for following, _ in node.next_functions
        if following is not None and hasattr(following, "variable")
    }  # fmt: skip
