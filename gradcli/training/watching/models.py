"""Where models and their tensors are that no parameters() tells of: in plain lists, attributes and other objects."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

import torch

from gradcli.training.watching.variables import DEPTH, within


def children(modules: list[torch.nn.Module]) -> set[int]:
    """The identities of all modules that are part of another one."""
    found: set[int] = set()
    waiting, seen = list(modules), set(map(id, modules))
    while waiting:
        for child in waiting.pop()._modules.values():
            if child is not None:
                found.add(id(child))
                if id(child) not in seen:
                    seen.add(id(child))
                    waiting.append(child)
    return found


def hidden(roots: list[torch.nn.Module], called: dict[int, str]) -> None:
    """Name modules that a model holds in a plain list or dictionary, where torch does not see them."""
    alone = {id(one) for one in roots}
    for root in list(roots):
        for path, module in root.named_modules():
            start = ".".join(filter(None, (called.get(id(root), type(root).__name__), path)))
            for name, value in list(vars(module).items()):
                if name.startswith("_") or not isinstance(value, (list, tuple, dict)):
                    continue
                for label, one in within(f"{start}.{name}", value, DEPTH):
                    if id(one) in alone:
                        called.setdefault(id(one), label)


def plain_leaves(module: torch.nn.Module) -> list[tuple[str, torch.Tensor]]:
    """The leaves that require grad among a module's plain attributes, and in lists there: none of its parameters()."""
    return [(label, one) for name, value in list(vars(module).items()) if not name.startswith("_")
            for label, one in within(name, value, DEPTH)
            if isinstance(one, torch.Tensor) and one.requires_grad and one.is_leaf]  # fmt: skip


def inside(variables: Mapping[str, object], parameter: torch.Tensor) -> str | None:
    """The name of a parameter of a model that is an attribute of a variable."""
    for name, value in variables.items():
        if isinstance(value, (torch.nn.Module, type, ModuleType)):
            continue
        for attribute, model in list(getattr(value, "__dict__", {}).items()):
            if isinstance(model, torch.nn.Module) and not attribute.startswith("_"):
                for path, one in model.named_parameters():
                    if one is parameter:
                        return f"{name}.{attribute}.{path}"
    return None
