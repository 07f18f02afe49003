"""Modules within modules: which are a part of another, and what stands where torch does not look: in lists, attributes
and other objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import ModuleType

import torch

from gradcli.training.watching.variables import DEPTH, within


def parts_of(modules: list[torch.nn.Module]) -> set[int]:
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


def hidden_in(roots: list[torch.nn.Module], called: Mapping[int, str]) -> Iterator[tuple[str, torch.nn.Module]]:
    """Those of some modules that another of them holds in a plain list or dictionary, with the name that tells so.

    `called`: the names of modules that have one, by identity; what is yielded may be added to it meanwhile.
    """
    alone = {id(one) for one in roots}
    for root in roots:
        for path, module in root.named_modules():
            start = ".".join(filter(None, (called.get(id(root), type(root).__name__), path)))
            for name, value in list(vars(module).items()):
                if name.startswith("_") or not isinstance(value, (list, tuple, dict)):
                    continue
                for label, one in within(f"{start}.{name}", value, DEPTH):
                    if id(one) in alone and isinstance(one, torch.nn.Module):
                        yield label, one


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
