"""G105: the tensor that an optimizer was given and that is no leaf, and what computed it."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from gradcli.results import Note
from gradcli.training.death.scene import Scene, line_of
from gradcli.training.own import Line
from gradcli.training.sentences import note
from gradcli.training.watching.graph import kind


def rule(scene: Scene) -> Iterator[Note]:
    """A computed tensor in an optimizer."""
    if scene.said.message.name != "optimizer-non-leaf":
        return
    tensor = scene.local("add_param_group", "param")
    line = scene.quoted(scene.line)
    if not isinstance(tensor, torch.Tensor) or tensor.grad_fn is None:
        yield note("G105", "optimizer_unknown", line=line)
        return
    name = scene.name(tensor) or "a tensor"
    place = line_of(tensor.grad_fn) or _bound(scene, name)
    yield note("G105", "optimizer", line=line, name=name, operation=kind(tensor.grad_fn),
              place=f" in {scene.quoted(place)}" if place else "", subject=name)  # fmt: skip


def _bound(scene: Scene, name: str) -> Line | None:
    if scene.source is None or scene.line is None:
        return None
    found = scene.source.scope_at(scene.line.number).bindings.get(name) or scene.source.main.bindings.get(name)
    return Line(scene.line.file, found[-1].line, "") if found else None
