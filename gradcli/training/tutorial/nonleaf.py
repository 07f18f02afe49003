"""G105: .grad of a computed tensor, which the script reads and backward leaves None."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import torch

from gradcli.results import Note
from gradcli.training.script.expressions import last_name, text_of
from gradcli.training.script.source import Binding
from gradcli.training.sentences import note
from gradcli.training.tutorial.ended import Ended
from gradcli.training.watching.graph import kind

LONGEST = 40  # characters of an expression that names what computed a tensor
_WARNING = "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"


def rule(script: Ended) -> Iterator[Note]:
    """Where torch has warned of it, or, where it warned of nothing, the name still holds one."""
    warned = {
        key[2] for key in script.variables.get("__warningregistry__") or ()  # type: ignore[attr-defined]
        if isinstance(key, tuple) and len(key) == 3 and str(key[0]).startswith(_WARNING)
    }  # fmt: skip
    for node in script.reads_of_grad:
        name = ast.unparse(node.value)
        tensor = script.tensors.get(name)
        made = script.source.bound_before(name, node.lineno)
        if warned:
            no_leaf = node.lineno in warned and (tensor is not None or name not in script.variables)
        else:
            bindings = script.source.main.bindings.get(name, [])
            no_leaf = _passes_through(tensor) and bool(bindings) and made is bindings[-1]
        no_leaf = no_leaf and isinstance(node.ctx, ast.Load) and (tensor is None or _passes_through(tensor))
        if no_leaf and not _is_function(node):
            source = _text_of(made) or _operation(tensor)
            yield note("G105", "seen", subject=name, place=script.at(node.lineno), name=name, source=source)


def _is_function(node: ast.Attribute) -> bool:
    """torch.autograd.grad and torch.func.grad."""
    return last_name(node.value) in {"autograd", "func", "functional", "torch"}


def _passes_through(tensor: torch.Tensor | None) -> bool:
    """Whether backward passes through a tensor and leaves it no gradient."""
    return tensor is not None and tensor.requires_grad and not tensor.is_leaf and not tensor.retains_grad


def _text_of(made: Binding | None) -> str | None:
    text = None if made is None else text_of(made.value)
    return text if text and len(text) <= LONGEST else None


def _operation(tensor: torch.Tensor | None) -> str:
    return kind(tensor.grad_fn) if tensor is not None and tensor.grad_fn is not None else "an operation"
