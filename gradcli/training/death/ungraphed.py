"""backward() of a tensor that nothing was recorded for: where the path to what requires grad is cut."""

from __future__ import annotations

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
        yield note("G101", "script_off", line=line, name=name, mode="gradients were switched off", subject=name)
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


def _requires(value: object) -> bool:
    if isinstance(value, torch.nn.Module):
        return any(one.requires_grad for one in value.parameters())
    return isinstance(value, torch.Tensor) and value.requires_grad


def _is_plain(value: object) -> bool:
    return isinstance(value, torch.Tensor) and not value.requires_grad and value.is_floating_point() and value.is_leaf
