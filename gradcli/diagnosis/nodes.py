"""The nodes of autograd's graph: which functions record them and what they save, measured and kept in nodes.txt.

The table is made by `python -m tests.operators.nodes` from torch's own samples of its operators, so that torch is not
needed to read it; a test measures again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gradcli.language.vocabulary import functions as vocabulary

FILE = Path(__file__).with_name("nodes.txt")

Saves = tuple[tuple[str, tuple[str, ...]], ...]

_WHY = (
    "Autograd makes one each time the operation meets a tensor that requires grad. On the way back it is given the "
    "gradient of the result, and returns that of each operand. The number at its end tells forms of one operation "
    "apart."
)
_CUSTOM = re.compile(r"(\w+)Backward")

# Nodes that belong to no function, or are best told by what they are for.
SPECIAL: dict[str, tuple[str, str]] = {
    "AccumulateGrad": (
        "The end of a path: it adds the gradient that arrives to the .grad of one leaf.",
        "Every leaf that requires grad has one, which holds the leaf as its variable. It has no grad_fn above it, "
        "because nothing made the leaf.",
    ),
    "CopySlices": (
        "A write into a part of a tensor, such as x[0] = y: it sends the gradient of that part to what was written, "
        "and that of the rest to the tensor as it was before.",
        "After an in-place write to a view, the base's history is no longer that of one operation. Autograd puts this "
        "node in its place.",
    ),
    "GraphRoot": (
        "Where a backward pass begins: it hands the upstream gradients to the outputs.",
        "The engine makes one for each call of backward() or grad().",
    ),
    "NotImplemented": (
        "An operation that has no derivative in torch: backward refuses when it comes here.",
        "It is recorded all the same, so that the refusal can name it.",
    ),
    "BackwardHookFunctionBackward": (
        "The place where a full backward hook of a module is run.",
        "torch puts it around the module's inputs and outputs.",
    ),
    "CompiledFunctionBackward": (
        "The way back through a part of a program that torch.compile compiled: one node for all of its operations.",
        "Ahead of time, torch traces forward and backward of the part, and compiles both.",
    ),
    "CheckpointFunctionBackward": (
        "A checkpointed part of a model: on the way back its forward pass is run again, and then its own backward.",
        "torch.utils.checkpoint saves memory by keeping only the inputs of the part.",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Node:
    """What is known of a node: functions whose result it is, those that record it on their way, what it saves.

    `measured`: whether that was.
    """

    what: str
    why: str = _WHY
    functions: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    saves: Saves = ()
    measured: bool = False


@cache
def _table() -> tuple[str, dict[str, tuple[tuple[str, ...], tuple[str, ...], Saves]]]:
    """The version of torch that was measured, and each node's own functions, others, and what it saves."""
    first, *lines = FILE.read_text(encoding="utf-8").splitlines()
    rows = {}
    for line in lines:
        name, direct, within, saves = line.split("\t")
        kept = [one.partition(":")[::2] for one in saves.split(";") if one]
        rows[name] = (_parts(direct), _parts(within), tuple((saved, tuple(kinds.split("|"))) for saved, kinds in kept))
    return first.removeprefix("torch "), rows


def _parts(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(";")))


def torch_version() -> str:
    """The version of torch whose nodes were measured."""
    return _table()[0]


def names() -> list[str]:
    """Every node that is known."""
    return [*SPECIAL, *_table()[1]]


def node(name: str) -> Node | None:
    """What is known of a node of this name; None where nothing is."""
    rows = _table()[1]
    row = rows.get(name) or rows.get(f"{name}0")  # torch counted no forms until 1.9
    special = SPECIAL.get(name)
    if row is not None:
        direct, within, saves = row
        direct = tuple(sorted(direct, key=lambda one: _distance(one, name)))
        what, why = special or (_what(direct or within, bool(direct)), _WHY)
        return Node(what, why, direct, within, saves, True)
    if special is not None:
        return Node(*special)
    custom = _CUSTOM.fullmatch(name)
    if custom is not None:
        return Node(
            f"The node of a custom autograd.Function named {custom[1]}: it calls that class's backward().",
            "torch does not look into forward() of a Function; it records this one node, and takes what backward() "
            "returns as the gradients.",
        )
    return None


def _distance(function: str, name: str) -> int:
    """How far a function is from the one that a node is named after."""
    own = name.partition("Backward")[0].casefold()
    written = function.rpartition(".")[2].replace("_", "")
    return 0 if written == own else 1 if own in written or written in own else 2


def _what(functions: tuple[str, ...], direct: bool) -> str:
    """The way back through an operation, in the words of its row."""
    row = next((one for one in vocabulary() if one.name == functions[0]), None)
    words = f", which computes: {row.summary[:1].lower()}{row.summary[1:].rstrip('.')}" if row else ""
    if direct:
        return f"The way back through {functions[0]}{words}."
    return f"A step that {functions[0]} records on its way{words}."
