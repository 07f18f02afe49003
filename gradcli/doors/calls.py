"""What Typer calls for a command: a question is asked and its answer shown, a program is become, a door is entered."""

from __future__ import annotations

from functools import partial
from typing import Any

from gradcli.commands.command import Command
from gradcli.doors.environment import Environment
from gradcli.doors.options import keywords_of, options_of, parted
from gradcli.doors.parameters import Call, Values, typed
from gradcli.doors.show import Screen, become, perform
from gradcli.doors.subject import READERS
from gradcli.errors import ExitCode


def question(command: Command, environment: Environment, screen: Screen) -> Call:
    """Ask a command, and show what it answers."""
    options = options_of(command)

    def call(subject: Any, values: Values) -> int:
        showing, keywords = parted(command, keywords_of(options, values))

        def make() -> Any:
            text = _read(command, subject, environment)
            return command.function(text, **screen.filled(command, text, keywords))

        return perform(make, showing, environment, screen.show)

    return typed(command, options, call)


def program(command: Command, environment: Environment, screen: Screen) -> Call:  # noqa: ARG001
    """Become the program that is asked about."""
    options = options_of(command)
    start = command.becomes
    assert start is not None

    def call(subject: Any, values: Values) -> int:
        showing, keywords = parted(command, keywords_of(options, values))
        script, *words = subject
        return become(partial(start, script, words, **keywords), showing, environment)

    return typed(command, options, call)


def entrance(command: Command, environment: Environment, screen: Screen) -> Call:  # noqa: ARG001
    """Go through another door."""

    def call(subject: Any, values: Values) -> int:
        return ExitCode(command.function(subject, environment, **keywords_of(command.options, values)))

    return typed(command, command.options, call)


def _read(command: Command, subject: str | list[str] | None, environment: Environment) -> Any:
    """The subject of a command, or each of several."""
    read = READERS[command.reads]
    if isinstance(subject, list):
        texts = tuple(read(one, environment.stdin) for one in subject)
        return texts[0] if len(texts) == 1 else texts
    return None if subject is None else read(subject, environment.stdin)
