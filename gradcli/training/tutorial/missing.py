"""G101 to G104 and G107: leaves that require grad and got none, and where the path from the loss to them is cut."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import torch

from gradcli.results import Note
from gradcli.training.script.cuts import Cut
from gradcli.training.script.expressions import text_of
from gradcli.training.script.modes import MODES
from gradcli.training.script.roots import roots_at
from gradcli.training.sentences import note
from gradcli.training.tensors import gradient_of
from gradcli.training.tutorial.ended import Ended

_LOSS = 40  # characters of an expression that backward begins at


def rule(script: Ended) -> Iterator[Note]:
    """Those that were to get a gradient: a cut path leads to them, or their .grad is read."""
    lines = [one.line.number for one in script.passes.all if one.accumulates and one.line]
    roots = [root for line in lines for root in roots_at(script.source, line, {"backward"})]
    if not roots:
        return
    reaches = [
        (root, script.flow.reach(root, script.source.scope_at(root.lineno), until=root.lineno).cuts) for root in roots
    ]
    read = {ast.unparse(one.value) for one in script.reads_of_grad}
    for name in _wanting(script):
        found = [(root, cuts[name]) for root, cuts in reaches if name in cuts]
        cut = next(((root, cut) for root, cut in found if cut is not None), None)
        if any(cut is None for _, cut in found):
            continue
        if cut is not None:
            yield _cut_note(script, name, *cut)
        elif name in read and name in script.tensors:
            root = reaches[-1][0]
            yield note("G104", "seen", subject=name, grads=f"{name}.grad", name=text_of(root, _LOSS),
                       place=script.at(root.lineno), source=name)  # fmt: skip


def _wanting(script: Ended) -> list[str]:
    """The leaves, and the models, that require grad and have none."""
    leaves = [
        name for name, one in script.tensors.items() if one.is_leaf and one.requires_grad and gradient_of(one) is None
    ]
    return leaves + [name for name, one in script.variables.items() if _lost(one)]


def _lost(value: object) -> bool:
    """Whether a model was to get gradients and got none."""
    if not isinstance(value, torch.nn.Module):
        return False
    trained = [one for one in value.parameters() if one.requires_grad]
    return bool(trained) and all(one.grad is None for one in trained)


def _cut_note(script: Ended, name: str, root: ast.expr, cut: Cut) -> Note:
    place, loss = script.at(cut.line), text_of(root, _LOSS)
    if cut.code == "G101":
        mode = MODES.get(cut.mode or "", "no_grad")
        return note("G101", "script", subject=name, line=script.at(root.lineno), name=loss, source=name, mode=mode,
                    place=place)  # fmt: skip
    return note(
        cut.code, "seen", subject=name, grads=f"{name}.grad", source=name, name=loss, text=cut.text, place=place
    )
