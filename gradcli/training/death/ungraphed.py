"""backward() of a tensor that nothing was recorded for: where the path to what requires grad is cut."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import torch

from gradcli.diagnosis.remarks import REMARKS
from gradcli.results import Note
from gradcli.training.death.scene import Scene
from gradcli.training.own import Line
from gradcli.training.script.cuts import Cut
from gradcli.training.script.expressions import text_of
from gradcli.training.script.modes import MODES
from gradcli.training.script.roots import roots_at
from gradcli.training.sentences import note

_STORING = frozenset({"append", "appendleft", "add", "extend"})


def rule(scene: Scene) -> Iterator[Note]:
    """Why a loss has no grad_fn."""
    if scene.said.message.name != "no-graph":
        return
    line = scene.quoted(scene.line)
    name, cuts = _cuts(scene)
    wanted = {key: cut for key, cut in cuts.items() if cut is not None and _requires(scene.variables.get(key))}
    if wanted:
        first = next(iter(wanted))
        yield say_cut(scene, line, name, first, wanted[first])
        return
    if not scene.recording:
        yield note("G101", "script_off", line=line, name=name, mode=_off(scene), subject=name)
        return
    stored = next(_stored(scene), None)
    if stored is not None:
        yield say_cut(scene, line, name, *stored)
        return
    plain = [key for key in cuts if _is_plain(scene.variables.get(key))]
    if plain:
        said = REMARKS["nothing_requires"].format(line=line, name=name, inputs=", ".join(plain[:4]))
        yield Note(None, "error", said, None, plain[0])


def say_cut(scene: Scene, line: str, name: str, source: str, cut: Cut) -> Note:
    """The sentence of a cut on the way from a variable to what backward begins at."""
    place = scene.at(Line(scene.line.file, cut.line, "")) if scene.line else ""
    mode = MODES.get(cut.mode or "", "")
    says = "script_grad" if cut.code == "G102" and cut.text.partition("(")[0].rpartition(".")[2] == "grad" else "script"
    return note(
        cut.code, says, line=line, name=name, source=source, text=cut.text, place=place, mode=mode, subject=source
    )


def _cuts(scene: Scene) -> tuple[str, dict[str, Cut | None]]:
    """What the failing line goes back from, and what that was computed from."""
    if scene.source is None or scene.flow is None or scene.line is None:
        return "this tensor", {}
    scope = scene.source.scope_at(scene.line.number)
    for root in roots_at(scene.source, scene.line.number):
        return text_of(root), scene.flow.reach(root, scope, until=scene.line.number).cuts
    return "this tensor", {}


def _stored(scene: Scene) -> Iterator[tuple[str, Cut]]:
    """What was put into a list that an object holds and the failing function reads, and the cut on the way there."""
    if scene.source is None or scene.flow is None or scene.line is None:
        return
    here = scene.source.scope_at(scene.line.number).function
    read = {one.attr for one in ast.walk(here or scene.source.tree) if isinstance(one, ast.Attribute)}
    for call in scene.source.calls:
        held = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr in _STORING else None
        if not isinstance(held, ast.Attribute) or held.attr not in read:
            continue
        scope = scene.source.scope_at(call.lineno)
        for argument in call.args:
            for source, cut in scene.flow.reach(argument, scope).cuts.items():
                off = Cut("G101", "", scope.off.line, scope.off.mode) if scope.off is not None else None
                found = cut or off
                if found is not None and _requires(scene.variables.get(source)):
                    yield source, found


def _requires(value: object) -> bool:
    if isinstance(value, torch.nn.Module):
        return any(one.requires_grad for one in value.parameters())
    return isinstance(value, torch.Tensor) and value.requires_grad


def _is_plain(value: object) -> bool:
    return isinstance(value, torch.Tensor) and not value.requires_grad and value.is_floating_point() and value.is_leaf


def _off(scene: Scene) -> str:
    """That gradients were switched off, and the statement that did it, where there is one."""
    tree = scene.source.tree if scene.source is not None else ast.Module([], [])
    calls = [
        node.value for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.value.args
        and ast.unparse(node.value.func).rpartition(".")[2] == "set_grad_enabled"
        and isinstance(node.value.args[0], ast.Constant) and node.value.args[0].value is False
    ]  # fmt: skip
    place = scene.quoted(Line(scene.line.file, calls[0].lineno, "")) if len(calls) == 1 and scene.line else ""
    return f"gradients were switched off in {place}" if place else "gradients were switched off"
