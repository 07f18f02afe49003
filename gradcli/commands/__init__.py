"""What gradcli can do: one file a capability, and the list of them."""

from __future__ import annotations

from importlib import import_module

from gradcli.commands.command import Command

# In the order of `gradcli --help`; each is a file here that holds a COMMAND.
NAMES = (
    "grad", "eval", "compare", "trace", "graph", "check", "jacobian", "hessian", "jvp", "sweep", "run", "functions",
    "explain",
)  # fmt: skip
_FILES = {"eval": "evaluate"}


def command(name: str) -> Command:
    """The command of a name."""
    return import_module(f"{__name__}.{_FILES.get(name, name)}").COMMAND  # type: ignore[no-any-return]
