"""The command line: a Typer application made from the commands and their options."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from typing import Annotated

import typer

from gradcli import __version__, commands
from gradcli.commands.command import Command
from gradcli.doors import calls, completion, entrances
from gradcli.doors.environment import Environment
from gradcli.doors.operands import Group, OperandCommand, ProgramCommand
from gradcli.doors.show import PLAIN, OutputError, Screen, Showing, fail
from gradcli.errors import ExitCode, GradcliError

NAMES = (*commands.NAMES, *entrances.NAMES)
UNWRITABLE = frozenset({errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT, errno.EFBIG})
COMPLETING = "_GRADCLI_COMPLETE"  # the variable with which a shell asks for completions
_SETTINGS = {"help_option_names": ["-h", "--help"]}


def run(words: Sequence[str], environment: Environment, screen: Screen = PLAIN) -> int:
    """Answer a command line; the exit code."""
    try:
        if COMPLETING in environment.variables:
            os.environ.update(completion.rejoined(environment.variables))  # Typer reads them there
        named = tuple(words[:1]) if words and words[0] in NAMES else NAMES
        code = application(environment, named, screen)(
            list(words) or ["--help"], prog_name="gradcli", standalone_mode=False, windows_expand_args=False
        )
        return code or ExitCode.OK
    except GradcliError as error:
        return fail(error, _guessed(words), environment)
    except MemoryError:
        lacking = GradcliError("bounds", "this needs more memory than there is", hint="use smaller tensors")
        return fail(lacking, _guessed(words), environment)
    except typer.Abort:
        return ExitCode.INTERRUPTED
    except SystemExit as error:  # how Typer leaves after a completion, and where nobody reads its output any more
        if not error.code or COMPLETING in environment.variables:
            return ExitCode(int(error.code or 0))
        raise BrokenPipeError from None
    except OSError as error:
        if error.errno in UNWRITABLE:  # help and version are written by Typer itself
            raise OutputError(error.strerror) from None
        raise
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        hint = f"{context.command_path} --help" if context is not None else "gradcli --help"
        message = error.format_message() if hasattr(error, "format_message") else str(error)
        if "unexpected extra argument" in message:
            hint = f"put the expression in quotes; {hint} tells more"
        return fail(
            GradcliError("usage", message[:1].lower() + message[1:].rstrip("."), hint=hint),
            _guessed(words),
            environment,
        )


def _guessed(words: Sequence[str]) -> Showing:
    """How to show an error of a command line that could not be read."""
    joined = " ".join(words)
    return Showing(
        format="json" if "--json" in words or "--format json" in joined or "--format=json" in words else "table",
        command=next((word for word in words if word in NAMES), None),
    )


def application(environment: Environment, names: Sequence[str] = NAMES, screen: Screen = PLAIN) -> typer.Typer:
    """The Typer application of these commands; to answer one, the others need not be made."""
    app = typer.Typer(
        name="gradcli", cls=Group, context_settings=_SETTINGS, rich_markup_mode=None, pretty_exceptions_enable=False,
        help="Inspect the gradients of PyTorch expressions: value, .grad, requires_grad, and why.",
    )  # fmt: skip
    app.callback(invoke_without_command=True)(_callback)
    for name in names:
        own = name in entrances.NAMES
        command = entrances.entrance(name) if own else commands.command(name)
        kind = calls.entrance if own else calls.program if command.rest else calls.question
        app.command(
            name, cls=ProgramCommand if command.rest else OperandCommand, context_settings=_SETTINGS,
            help=_help(command), short_help=command.summary,
        )(kind(command, environment, screen))  # fmt: skip
    return app


def _callback(
    version: Annotated[bool, typer.Option("--version", "-V", help="Show the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"gradcli {__version__}")
        raise typer.Exit(0)


def _help(command: Command) -> str:
    examples = "\n".join(f"  {one}" for one in command.examples)
    return f"{command.summary}\n\n\b\nExamples:\n{examples}"
