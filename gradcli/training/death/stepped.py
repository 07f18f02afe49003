"""A parameter that an optimizer has stepped between the forward pass that saved it and backward."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

import torch

from gradcli.training.death.saved import Overwritten
from gradcli.training.death.scene import Scene
from gradcli.training.own import Line
from gradcli.training.watching.graph import kind

_VIEWS = frozenset({"T", "Transpose", "View", "AsStrided", "Expand", "Unsqueeze", "Permute", "ToCopy"})
_NEAR = 6  # nodes behind the one that saved, among which its operands are looked for


@dataclass(frozen=True)
class Step:
    """The parameter, the variable that holds the optimizer, and the line that called its step()."""

    name: str
    optimizer: str
    line: Line | None


def stepped(scene: Scene, gone: Overwritten) -> Step | None:
    """The parameter of the shape and version of the message, where an optimizer holds one."""
    for name, value in scene.variables.items():
        if not (hasattr(value, "param_groups") and hasattr(value, "zero_grad")):
            continue
        held = [one for group in value.param_groups for one in group["params"]]
        alike = [
            one for one in held
            if one._version == gone.version and gone.shape in (None, tuple(one.shape), tuple(one.shape)[::-1])
        ]  # fmt: skip
        if alike and (gone.saver is None or _leads_to(gone.saver, alike)):
            return Step(scene.name(alike[0]) or "a parameter", name, _line_of(scene, f"{name}.step"))
    return None


def _leads_to(saver: Any, parameters: list[torch.Tensor]) -> bool:
    """Whether a parameter is an operand of the node, maybe through a view; a weight is saved by what uses it."""
    waiting, seen = [saver], 0
    while waiting and seen < _NEAR:
        node = waiting.pop()
        seen += 1
        for following, _ in node.next_functions:
            if following is None:
                continue
            if hasattr(following, "variable"):
                if any(following.variable is one for one in parameters):
                    return True
            elif kind(following) in _VIEWS:
                waiting.append(following)
    return False


def _line_of(scene: Scene, called: str) -> Line | None:
    """The line of the first call of a method by this text."""
    if scene.source is None or scene.line is None:
        return None
    numbers = (call.lineno for call in scene.source.calls if ast.unparse(call.func) == called)
    return next((Line(scene.line.file, number, "") for number in numbers), None)
