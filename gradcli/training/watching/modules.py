"""Modules within modules: which are a part of another, and which stand in a list that torch does not look into."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
