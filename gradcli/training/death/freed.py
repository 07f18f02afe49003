"""G204: which pass freed the graph, and what leads the later one into it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from gradcli.results import Note
from gradcli.training.death.saved import states
from gradcli.training.death.scene import Scene, graph
from gradcli.training.script.passes import Pass
from gradcli.training.script.source import Source
from gradcli.training.sentences import note

_BLOCKS = ("body", "orelse", "handlers", "finalbody")


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
    says, link = _link(scene, old, before)
    yield note("G204", says, line=line, by=by, name=link, subject=link)


def _link(scene: Scene, old: set[Any], before: int) -> tuple[str, str | None]:
    """What leads from the pass that died into what is freed: how it does, and its name.

    `before` is the place of the earlier passes in the order of operations.
    """
    carried = _carried(scene, old)
    if carried is not None:
        return "summed" if any(scene.variables.get(carried) is one for one in scene.roots) else "carried", carried
    modules = {name: one for name, one in scene.variables.items() if isinstance(one, torch.nn.Module)}
    held = _held(modules, old)
    if held is None:
        nodes = set(scene.nodes)
        shared = [(place, name) for name, one in scene.tensors()
                  if one.grad_fn is not None and one.grad_fn in nodes
                  and (place := one.grad_fn._sequence_nr()) <= before
                  and not old.isdisjoint(graph([one.grad_fn]))]  # fmt: skip
        if shared:
            return "shared", max(shared)[1]
        held = _held(scene.variables, old)
    if held is None:
        return "unknown", None
    return "once" if _made_once(scene, held.rpartition(".")[2]) else "carried", held


def _made_once(scene: Scene, attribute: str) -> bool:
    """Whether an attribute is bound where its object is made, and nowhere else."""
    within = [
        one.name == "__init__"
        for one in (ast.walk(scene.source.tree) if scene.source is not None else ())
        if isinstance(one, ast.FunctionDef)
        for node in ast.walk(one)
        if isinstance(node, ast.Attribute) and node.attr == attribute and isinstance(node.ctx, ast.Store)
    ]
    return bool(within) and all(within)


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
    return None


def _held(variables: Mapping[str, object], freed: set[Any]) -> str | None:
    """An attribute of a model or another object of the script's whose graph leads into what is freed."""
    for name, value in variables.items():
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
        for statement in _in_order(loop.body):
            names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
            augmented = [node.target.id for node in ast.walk(statement)
                         if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)]  # fmt: skip
            read_first += [one.id for one in names if isinstance(one.ctx, ast.Load) and one.id not in bound]
            read_first += [one for one in augmented if one not in bound]
            stored = {one.id for one in names if isinstance(one.ctx, ast.Store)}
            bound |= stored
            rebound |= stored
        yield from (name for name in dict.fromkeys(read_first) if name in rebound)


def _in_order(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Statements in the order in which they run; of one that holds others, what it begins with and then these."""
    for statement in body:
        inner = [
            part for field in ("body", "orelse", "handlers", "finalbody") for part in getattr(statement, field, [])
        ]
        if not inner or isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield statement
            continue
        yield from (one for one in ast.iter_child_nodes(statement) if one not in inner)
        for part in inner:
            yield from _in_order(part.body if isinstance(part, ast.ExceptHandler) else [part])
