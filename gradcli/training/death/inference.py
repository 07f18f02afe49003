"""G207: which tensor was made in inference mode, and where."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import torch

from gradcli.results import Note
from gradcli.training.death.scene import Scene
from gradcli.training.own import Line
from gradcli.training.sentences import note


def rule(scene: Scene) -> Iterator[Note]:
    """A tensor of inference mode that meets autograd."""
    if scene.code != "G207":
        return
    made = [name for name, one in scene.tensors() if one.is_inference()]
    here = _names_at(scene)
    name = next((one for one in made if one in here), made[0] if made else None)
    line = scene.quoted(scene.line)
    if name is None:
        called = _called(scene)
        if called is None:
            yield note("G207", "unknown", line=line)
        else:
            place = Line(scene.line.file, called[1], "") if scene.line else None
            yield note("G207", "made", line=line, name=called[0], place=f" in {scene.quoted(place)}", subject=called[0])
        return
    tensor = scene.variables[name]
    names = scene.names(tensor) if isinstance(tensor, torch.Tensor) else []
    place = next((place for one in (name, *names) if (place := _made(scene, one)) is not None), None)
    yield note("G207", "made", line=line, name=name, place=f" in {scene.quoted(place)}" if place else "", subject=name)


def _called(scene: Scene) -> tuple[str, int] | None:
    """A call in the failing line of a function of the script's that is in inference mode, and where that begins."""
    if scene.source is None or scene.line is None or scene.flow is None:
        return None
    scope = scene.source.scope_at(scene.line.number)
    for call in reversed(scene.source.calls_at(scene.line.number)):
        inner = scene.flow.called(call, scope)
        if inner is not None and inner.off is not None and inner.off.mode == "inference_mode":
            return ast.unparse(call), inner.off.line
    return None


def _names_at(scene: Scene) -> set[str]:
    if scene.source is None or scene.line is None:
        return set()
    calls = scene.source.calls_at(scene.line.number)
    return {node.id for call in calls for node in ast.walk(call) if isinstance(node, ast.Name)}


def _made(scene: Scene, name: str) -> Line | None:
    if scene.source is None or scene.line is None:
        return None
    for scope in (scene.source.scope_at(scene.line.number), scene.source.main):
        for one in scope.bindings.get(name, []):
            if one.off is not None and one.off.mode == "inference_mode":
                return Line(scene.line.file, one.line, "")
    return None
