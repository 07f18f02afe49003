"""The line that wrote in place to a tensor that a node had saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from gradcli.training.death.saved import Overwritten
from gradcli.training.death.scene import Scene, graph, line_of
from gradcli.training.own import Line
from gradcli.training.script.writes import writes
from gradcli.training.watching.graph import kind

# Operations that torch has in place, as modules with inplace=True use them.
_IN_PLACE = frozenset({
    "Relu", "LeakyRelu", "PreluKernel", "RreluWithNoise", "Elu", "Hardtanh", "Hardswish", "Hardsigmoid", "Silu",
    "Mish", "Threshold", "Clamp", "ClampMin", "ClampMax", "NativeDropout", "Add", "Sub", "Mul", "Div", "CopySlices",
    "MaskedFill", "IndexPut",
})  # fmt: skip


@dataclass(frozen=True)
class Write:
    """The name of the tensor, None where no variable holds it any more, and the line."""

    name: str | None
    line: Line


def written(scene: Scene, gone: Overwritten) -> Write | None:
    """A variable of the shape and version of the message, and the line that wrote to it last.

    What was saved may be a part of a larger one, which shares its version.
    """
    alike = [
        (name, one) for name, one in scene.tensors()
        if not one.is_inference() and one._version == gone.version and _holds(one, gone.shape)
    ]  # fmt: skip
    alike.sort(key=lambda one: (tuple(one[1].shape) != gone.shape, not _beside(gone.saver, one[1])))
    for name, tensor in alike:
        node = tensor.grad_fn
        line = line_of(node) if node is not None and node is not gone.saver else None
        line = line or _text_of_write(scene, name)
        if line is not None:
            return Write(name, line)
    line = _above(scene, gone.saver)
    return Write(_name(scene, line), line) if line else None


def _holds(tensor: torch.Tensor, shape: tuple[int, ...] | None) -> bool:
    """Whether a tensor is of a shape, or one that a part of this shape can be taken of."""
    sizes = list(tensor.shape)
    return all(size in sizes and not sizes.remove(size) for size in shape or ())  # type: ignore[func-returns-value]


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


def _above(scene: Scene, saver: Any) -> Line | None:
    """The line of the one operation right above the node that saved which torch has in place."""
    above = [node for node in scene.nodes if any(following is saver for following, _ in node.next_functions)]
    lines = [line for node in above if kind(node) in _IN_PLACE and (line := line_of(node)) is not None]
    return lines[0] if len(lines) == 1 else None


def _name(scene: Scene, line: Line) -> str | None:
    """What a line that writes in place calls what it writes to."""
    found = [name for number, name in writes(scene.source) if number == line.number] if scene.source else []
    return found[0] if found else None
