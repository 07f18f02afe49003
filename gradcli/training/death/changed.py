"""G202: which operation saved a tensor, who wrote to it since, and where."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from gradcli.results import Note
from gradcli.training.death.saved import states
from gradcli.training.death.scene import Scene, graph, line_of
from gradcli.training.own import Line
from gradcli.training.script.source import Source
from gradcli.training.sentences import note, part
from gradcli.training.watching.graph import kind


def rule(scene: Scene) -> Iterator[Note]:
    """A saved tensor that was overwritten."""
    if scene.code != "G202":
        return
    saver, field = next(((node, name) for node, name, state in states(scene.nodes) if state == "changed"), (None, ""))
    facts = {"line": scene.quoted(scene.line), "saver": kind(saver) if saver is not None else "an operation"}
    made = line_of(saver) if saver is not None else None
    facts["made"] = f" ({scene.at(made)})" if made else ""
    stepped = _stepped(scene, saver)
    if stepped is not None:
        yield note("G202", "step", subject=stepped.name, **facts, name=stepped.name, optimizer=stepped.optimizer,
                  step=f" ({scene.at(stepped.line)})" if stepped.line else "")  # fmt: skip
        return
    written = _written(scene, saver)
    if written is not None:
        name = written.name or _name(scene, written.line)
        yield note("G202", "written", subject=name, **facts, name=name or "its tensor",
                  writer=scene.quoted(written.line), repair=_repair(scene, written))  # fmt: skip
        return
    yield note("G202", "unknown", **facts, field=field or "a tensor")


@dataclass(frozen=True)
class _Step:
    name: str
    optimizer: str
    line: Line | None


def _stepped(scene: Scene, saver: Any) -> _Step | None:
    """A parameter that an optimizer has stepped since it was saved: its shape and version are those of the message."""
    now, shape = _version(scene), _shape(scene)
    variables = scene.variables.items()
    for name, value in variables:
        if not (hasattr(value, "param_groups") and hasattr(value, "zero_grad")):
            continue
        held = [one for group in value.param_groups for one in group["params"]]
        alike = [
            one for one in held if one._version == now and shape in (None, tuple(one.shape), tuple(one.shape)[::-1])
        ]
        if alike and (saver is None or _leads_to(saver, alike)):
            return _Step(scene.name(alike[0]) or "a parameter", name, _call_of(scene, name, "step"))
    return None


def _leads_to(saver: Any, parameters: list[torch.Tensor]) -> bool:
    """Whether a parameter is an operand of the node, maybe through a view; a weight is saved by what uses it."""
    waiting, seen = [saver], 0
    while waiting and seen < 6:
        node = waiting.pop()
        seen += 1
        for following, _ in node.next_functions:
            if following is None:
                continue
            if hasattr(following, "variable"):
                if any(following.variable is one for one in parameters):
                    return True
            elif kind(following) in {"T", "Transpose", "View", "AsStrided", "Expand", "Unsqueeze", "Permute", "ToCopy"}:
                waiting.append(following)
    return False


def _version(scene: Scene) -> int | None:
    now = scene.said.facts.get("now", "")
    return int(now) if now.isdigit() else None


def _shape(scene: Scene) -> tuple[int, ...] | None:
    """[torch.FloatTensor [3, 4]] as (3, 4)."""
    text = str(scene.error).partition("Tensor [")[2].partition("]")[0]
    try:
        return tuple(int(one) for one in text.split(",") if one.strip())
    except ValueError:
        return None


@dataclass(frozen=True)
class _Write:
    name: str | None
    line: Line | None
    node: Any


def _written(scene: Scene, saver: Any) -> _Write | None:
    """A variable of the shape and version of the message, and the line that wrote to it last.

    What was saved may be a part of a larger one, which shares its version.
    """
    now, shape = _version(scene), _shape(scene)
    alike = [
        (name, one) for name, one in scene.tensors()
        if not one.is_inference() and one._version == now and (shape is None or _holds(one, shape))
    ]  # fmt: skip
    alike.sort(key=lambda one: (tuple(one[1].shape) != shape, not _beside(saver, one[1])))
    for name, tensor in alike:
        node = tensor.grad_fn
        line = line_of(node) if node is not None and node is not saver else None
        line = line or _text_of_write(scene, name)
        if line is not None:
            return _Write(name, line, node)
    return _above(scene, saver)


def _holds(tensor: torch.Tensor, shape: tuple[int, ...]) -> bool:
    """Whether a tensor is of a shape, or one that a part of this shape can be taken of."""
    sizes = list(tensor.shape)
    return all(size in sizes and not sizes.remove(size) for size in shape)  # type: ignore[func-returns-value]


# Operations that torch has in place, as modules with inplace=True use them.
_IN_PLACE = frozenset({
    "Relu", "LeakyRelu", "PreluKernel", "RreluWithNoise", "Elu", "Hardtanh", "Hardswish", "Hardsigmoid", "Silu",
    "Mish", "Threshold", "Clamp", "ClampMin", "ClampMax", "NativeDropout", "Add", "Sub", "Mul", "Div", "CopySlices",
    "MaskedFill", "IndexPut",
})  # fmt: skip


def _above(scene: Scene, saver: Any) -> _Write | None:
    """The one operation right above the node that saved, where no variable holds the tensor any more."""
    above = [node for node in scene.nodes if any(following is saver for following, _ in node.next_functions)]
    able = [node for node in above if kind(node) in _IN_PLACE and line_of(node) is not None]
    return _Write(None, line_of(able[0]), able[0]) if len(able) == 1 else None


def _beside(saver: Any, tensor: torch.Tensor) -> bool:
    """Whether a tensor was computed from the node that saved it, or is an operand of it."""
    return saver is not None and tensor.grad_fn is not None and saver in graph([tensor.grad_fn])


def _text_of_write(scene: Scene, name: str) -> Line | None:
    """The last line of the script before the failing one that writes to a name in place."""
    if scene.source is None or scene.line is None:
        return None
    numbers = [number for number, target in writes(scene.source) if target == name]
    before = [number for number in numbers if number < scene.line.number] or numbers
    return Line(scene.line.file, max(before), "") if before else None


def writes(source: Source) -> Iterator[tuple[int, str]]:
    """The lines that write to a tensor in place, and its name."""
    for node in ast.walk(source.tree):
        target = _target(node)
        if target is None and isinstance(node, ast.Call) and any(one.arg == "inplace" for one in node.keywords):
            target = next(iter(node.args), None)
        while isinstance(target, (ast.Subscript, ast.Attribute)):
            target = target.value
        if isinstance(target, ast.Name):
            yield node.lineno, target.id  # type: ignore[attr-defined]


def _call_of(scene: Scene, name: str, method: str) -> Line | None:
    """The line where a method of a variable is called."""
    if scene.source is None or scene.line is None:
        return None
    for call in scene.source.calls:
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func) == f"{name}.{method}":
            return Line(scene.line.file, call.lineno, "")
    return None


def _repair(scene: Scene, written: _Write) -> str:
    """What to write instead of the line that writes in place."""
    number = written.line.number if written.line else 0
    nodes = ast.walk(scene.source.tree) if scene.source else iter(())
    for node in nodes:
        if not (getattr(node, "lineno", number + 1) <= number <= (getattr(node, "end_lineno", 0) or 0)):
            continue
        target = _target(node)
        if isinstance(target, ast.Subscript):
            while isinstance(target, ast.Subscript):
                target = target.value
            return part("G202", "repair", "part", name=ast.unparse(target))
        if isinstance(node, ast.AugAssign):
            whole = ast.Assign([node.target], ast.BinOp(node.target, node.op, node.value), lineno=number)
            return part("G202", "repair", "whole", text=ast.unparse(whole))
        if target is not None and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return part("G202", "repair", "method", method=node.func.attr.removesuffix("_"))
    return part("G202", "repair", "module")


def _name(scene: Scene, line: Line | None) -> str | None:
    """What a line that writes in place calls what it writes to."""
    found = [name for number, name in writes(scene.source) if line and number == line.number] if scene.source else []
    return found[0] if found else None


def _target(node: ast.AST) -> ast.expr | None:
    """What a statement or call writes to in place."""
    if isinstance(node, ast.AugAssign):
        return node.target
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return node.targets[0]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name.endswith("_") and not name.endswith("__") and name != "requires_grad_":
            return node.func.value
    return None
