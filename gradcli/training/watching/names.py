"""What parameters are called: as named_parameters() of their model has it, with the user's name for the model.

Modules are noticed when parameters are registered in them, which costs nothing a step; what was copied or unpickled
is found among the variables of the script.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch.nn.modules import module as registry

from gradcli.training.watching.modules import hidden_in, parts_of
from gradcli.training.watching.remade import Remade
from gradcli.training.watching.variables import DEPTH, Variables, stack, within


class Names:
    """The modules that are known, and the names of their parameters."""

    def __init__(self, variables: Variables | None, models: Iterable[torch.nn.Module] = ()) -> None:
        self._variables = variables or stack
        self._given = [weakref.ref(one) for one in models]
        self._modules: dict[int, weakref.ref[torch.nn.Module]] = {}
        self._owners: dict[int, tuple[Any, Any, str]] = {}
        self._labels: dict[int, tuple[Any, str]] = {}
        self._ranks: dict[int, int] = {}
        self.remade = Remade()

    def install(self) -> Callable[[], None]:
        """Notice parameters and modules as they are registered; returns what takes the hooks away."""
        hooks = [
            registry.register_module_parameter_registration_hook(self._registered),
            registry.register_module_module_registration_hook(self._held),
        ]

        def remove() -> None:
            for one in hooks:
                one.remove()

        return remove

    def _held(self, module: torch.nn.Module, name: str, child: Any) -> None:
        """A module that holds others may have no parameter of its own, and be in no variable of the script."""
        del name, child
        try:
            self._know(module)
        except Exception:  # as for a parameter
            return

    def _know(self, module: torch.nn.Module) -> None:
        known = self._modules.get(id(module))
        if known is None or known() is not module:
            self._modules[id(module)] = weakref.ref(module)

    def _registered(self, module: torch.nn.Module, name: str, parameter: Any) -> None:
        try:
            self._know(module)
            if parameter is not None:
                self._own(parameter, module, name)
                self.remade.saw(sys._getframe(1))
        except Exception:  # a module that cannot be referred to weakly stays without a name
            return

    def _own(self, parameter: torch.Tensor, module: torch.nn.Module, name: str) -> None:
        self._owners[id(parameter)] = (weakref.ref(parameter), weakref.ref(module), name)

    def stale(self, parameter: torch.Tensor) -> bool:
        """Whether the module that this parameter was registered in is gone, or holds another tensor by that name."""
        found = self._owners.get(id(parameter))
        if found is None or found[0]() is not parameter:
            return False
        module = found[1]()
        return module is None or module._parameters.get(found[2]) is not parameter

    def variables(self) -> Mapping[str, object]:
        """The script's variables; none where they cannot be read."""
        try:
            return self._variables()
        except Exception:
            return {}

    def learn(self) -> None:
        """Find models anew: call where a parameter has no name yet."""
        variables = self.variables()
        called: dict[int, str] = {}
        found: list[torch.nn.Module] = []
        plain: dict[int, tuple[Any, str]] = {}
        for name, value in variables.items():
            for path, one in within(name, value, DEPTH):
                if isinstance(one, torch.nn.Module):
                    called.setdefault(id(one), path)
                    found.append(one)
                elif isinstance(one, torch.Tensor):
                    plain.setdefault(id(one), (weakref.ref(one), path))
        given = [one for one in (ref() for ref in self._given) if one is not None]
        everything = list({id(one): one for one in (*given, *found, *self.models())}.values())
        children = parts_of(everything)
        roots = [one for one in everything if id(one) not in children or one in given]
        roots = [one for one in roots if any(each._parameters for each in one.modules())]
        for label, one in hidden_in(roots, called):
            called.setdefault(id(one), label)
        self._labels.update(plain)
        self._label(roots, called)

    def _label(self, roots: list[torch.nn.Module], called: dict[int, str]) -> None:
        """Write down the name of every parameter; those of several models begin with the model's own."""
        unnamed: dict[str, int] = {}
        alone = len(roots) == 1
        labels: dict[int, tuple[Any, str]] = {}
        for root in roots:
            title = called.get(id(root))
            if title is None:
                kind = type(root).__name__
                unnamed[kind] = unnamed.get(kind, 0) + 1
                title = kind if unnamed[kind] == 1 else f"{kind}{unnamed[kind]}"
            for path, module in root.named_modules():
                for name, parameter in module._parameters.items():
                    if parameter is None or id(parameter) in labels:
                        continue
                    self._own(parameter, module, name)
                    full = f"{path}.{name}" if path else name
                    full = full.replace("_orig_mod.", "")
                    labels[id(parameter)] = (weakref.ref(parameter), full if alone else f"{title}.{full}")
        self._labels.update(labels)
        self._ranks = {key: rank for rank, key in enumerate(labels)}

    def name(self, tensor: torch.Tensor) -> str | None:
        """The name of a tensor; None where it is not known."""
        found = self._labels.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else None

    def former(self, tensor: torch.Tensor) -> str | None:
        """What a tensor was called in the module that let it go."""
        found = self._owners.get(id(tensor))
        if found is None or found[0]() is not tensor:
            return None
        now = self.successor(tensor)
        label = None if now is None else self.name(now)
        return f"the old {label}" if label else f"the {found[2]} of a module that is gone"

    def successor(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """What the module of a tensor holds by its name now."""
        found = self._owners.get(id(tensor))
        module = None if found is None or found[0]() is not tensor else found[1]()
        return None if module is None or found is None else module._parameters.get(found[2])

    def rank(self, tensor: torch.Tensor) -> int:
        """The place of a parameter among those of all models; plain tensors come last."""
        return self._ranks.get(id(tensor), 1 << 30)

    def models(self) -> list[torch.nn.Module]:
        """All modules that are known."""
        known = (ref() for ref in (*self._given, *list(self._modules.values())))
        return list({id(one): one for one in known if one is not None}.values())
