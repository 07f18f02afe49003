"""Commands that are doors of their own: they answer many questions, and are no functions of the API."""

from __future__ import annotations

from importlib import import_module

from gradcli.commands.command import Command

# In the order of `gradcli --help`, after the others; each is a file here that holds a COMMAND, whose function takes
# the subject as it was typed (None where it has none), the environment and its options, and gives the exit code.
NAMES = ("batch", "repl")


def entrance(name: str) -> Command:
    """The command of a name."""
    return import_module(f"gradcli.doors.{name}").COMMAND  # type: ignore[no-any-return]
