"""G204: which pass freed the graph, and what leads the later one into it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import torch

from gradcli.results import Note
from gradcli.training.death.saved import states
from gradcli.training.death.scene import Scene, graph
from gradcli.training.script.passes import Pass
from gradcli.training.script.source import Source
from gradcli.training.sentences import note


def rule(scene: Scene) -> Iterator[Note]:
    """A graph that was freed already."""
    if scene.code != "G204":
        return
    earlier = [one for one in list(scene.passes.all)[:-1] if not one.kept and one.sequence is not None]
    before = max((one.sequence or 0 for one in earlier), default=0)
    freed = {node for node, _, state in states(scene.nodes) if state == "freed"}
    old = {node for node in freed if node._sequence_nr() <= before}  # the pass that died has freed what is newer
    line = scene.quoted(scene.line)
    began = {node._sequence_nr() for node in _roots(scene) if node is not None}
    again = next((one for one in earlier if one.sequence in began), None)
    if again is not None:
        name = next((name for one in scene.roots if (name := scene.name(one))), "this tensor")
        yield note("G204", "same", line=line, by=_by(scene, again), name=name, subject=name)
        return
    by = _by(scene, _freeing(earlier, old))
    carried = _carried(scene, old)
    if carried is not None:
        root = any(scene.variables.get(carried) is one for one in scene.roots)
        yield note("G204", "summed" if root else "carried", line=line, by=by, name=carried, subject=carried)
        return
    shared = [(one.grad_fn._sequence_nr(), name) for name, one in scene.tensors()
              if one.grad_fn is not None and one.grad_fn in old]  # fmt: skip
    if shared:
        name = max(shared)[1]
        yield note("G204", "shared", line=line, by=by, name=name, subject=name)
        return
    yield note("G204", "unknown", line=line, by=by)


def _roots(scene: Scene) -> list[Any]:
    """The nodes that the pass which died began at."""
    return [node for one in scene.roots if (node := one.grad_fn) is not None]


def _freeing(earlier: list[Pass], old: set[Any]) -> Pass | None:
    """The pass that freed the last recorded of some nodes: the first that began above it."""
    last = max((node._sequence_nr() for node in old), default=None)
    return None if last is None else next((one for one in earlier if (one.sequence or 0) >= last), None)


def _by(scene: Scene, one: Pass | None) -> str:
    return f"backward() in {scene.quoted(one.line)}" if one and one.line else "an earlier backward()"


def _carried(scene: Scene, freed: set[Any]) -> str | None:
    """A name that a loop hands on from one round to the next, and whose graph leads into what is freed."""
    if scene.source is None:
        return None
    names = list(handed_on(scene.source))
    for name in names:
        value = scene.variables.get(name)
        tensors = value if isinstance(value, (tuple, list)) else [value]
        for one in tensors:
            if isinstance(one, torch.Tensor) and not freed.isdisjoint(graph([one.grad_fn])):
                return name
    return _held(scene, freed)


def _held(scene: Scene, freed: set[Any]) -> str | None:
    """An attribute of a model or another object of the script's whose graph leads into what is freed."""
    for name, value in scene.variables.items():
        parts = list(value.named_modules()) if isinstance(value, torch.nn.Module) else [("", value)]
        for path, one in parts:
            for attribute, held in list(getattr(one, "__dict__", {}).items()):
                each = held if isinstance(held, (tuple, list)) else [held]
                nodes = [one.grad_fn for one in each if isinstance(one, torch.Tensor) and one.grad_fn is not None]
                if nodes and not freed.isdisjoint(graph(nodes)):
                    return ".".join(filter(None, (name, path, attribute)))
    return None


def handed_on(source: Source) -> Iterator[str]:
    """The names that a loop reads before it binds them anew: what they hold comes from the round before."""
    for loop in ast.walk(source.tree):
        if not isinstance(loop, (ast.For, ast.While)):
            continue
        bound: set[str] = set()
        read_first: list[str] = []
        rebound: set[str] = set()
        for statement in loop.body:
            names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
            augmented = [node.target.id for node in ast.walk(statement)
                         if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)]  # fmt: skip
            read_first += [one.id for one in names if isinstance(one.ctx, ast.Load) and one.id not in bound]
            read_first += [one for one in augmented if one not in bound]
            stored = {one.id for one in names if isinstance(one.ctx, ast.Store)}
            bound |= stored
            rebound |= stored
        yield from (name for name in dict.fromkeys(read_first) if name in rebound)
