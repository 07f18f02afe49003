"""gradcli: inspect the gradients of PyTorch expressions. Importing it does not import torch."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name -> the module that holds it, loaded when the name is first used.
_PLACES = {
    "grad": "gradcli.commands.grad",
    "evaluate": "gradcli.commands.evaluate",
    "compare": "gradcli.commands.compare",
    "check": "gradcli.commands.check",
    "jacobian": "gradcli.commands.jacobian",
    "hessian": "gradcli.commands.hessian",
    "jvp": "gradcli.commands.jvp",
    "sweep": "gradcli.commands.sweep",
    "trace": "gradcli.commands.trace",
    "graph": "gradcli.commands.graph",
    "run": "gradcli.commands.run",
    "functions": "gradcli.commands.functions",
    "explain": "gradcli.commands.explain",
    "watch": "gradcli.commands.watch",
    "GradcliError": "gradcli.errors",
}

__all__ = [
    "GradcliError",
    "__version__",
    "check",
    "compare",
    "evaluate",
    "explain",
    "functions",
    "grad",
    "graph",
    "hessian",
    "jacobian",
    "jvp",
    "run",
    "sweep",
    "trace",
    "watch",
]

if TYPE_CHECKING:
    from gradcli.commands.check import check
    from gradcli.commands.compare import compare
    from gradcli.commands.evaluate import evaluate
    from gradcli.commands.explain import explain
    from gradcli.commands.functions import functions
    from gradcli.commands.grad import grad
    from gradcli.commands.graph import graph
    from gradcli.commands.hessian import hessian
    from gradcli.commands.jacobian import jacobian
    from gradcli.commands.jvp import jvp
    from gradcli.commands.run import run
    from gradcli.commands.sweep import sweep
    from gradcli.commands.trace import trace
    from gradcli.commands.watch import watch
    from gradcli.errors import GradcliError


def __getattr__(name: str) -> Any:
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module 'gradcli' has no attribute '{name}'")
    value = getattr(import_module(place), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext gradcli` calls: `%gradcli` and `%%gradcli` are known from then on."""
    from gradcli.doors import notebook

    notebook.load(shell)
