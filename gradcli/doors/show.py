"""A result to standard output, in the format that was asked for; an error to where it belongs; the exit code."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from gradcli.doors import failures
from gradcli.doors.environment import Environment, encoding_of, write
from gradcli.doors.progress import bar
from gradcli.errors import ExitCode, GradcliError
from gradcli.progress import heard_by
from gradcli.results import worst_level

if TYPE_CHECKING:
    from gradcli.commands.command import Command
    from gradcli.render import Style

MOST_DIGITS = 17  # that many tell every float64 apart


@dataclass(frozen=True, slots=True)
class Showing:
    """The options that every command has: how to show its result."""

    format: str = "table"
    precision: int | None = None
    color: str = "auto"
    quiet: bool = False
    verbose: bool = False
    strict: bool = False
    debug: bool = False
    command: str | None = None

    def __post_init__(self) -> None:
        if self.precision is not None and not 1 <= self.precision <= MOST_DIGITS:
            raise GradcliError("usage", f"--precision is a number from 1 to {MOST_DIGITS}, not {self.precision}")


Show = Callable[[Any, Showing, Environment], None]


def _as_written(_command: Command, _subject: Any, keywords: dict[str, Any]) -> dict[str, Any]:
    return keywords


@dataclass(frozen=True, slots=True)
class Screen:
    """What a door does in its own way: how it shows a result, and which values it knows beside those that are typed."""

    show: Show | None = None
    filled: Callable[[Command, Any, dict[str, Any]], dict[str, Any]] = _as_written


PLAIN = Screen()


class OutputError(Exception):
    """Standard output could not be written."""


def perform(make: Callable[[], Any], showing: Showing, environment: Environment, shown: Show | None = None) -> ExitCode:
    """Make a result and show it, or its error; the exit code says which."""
    from gradcli import render

    try:
        render.ready(showing.format)
        with heard_by(bar(environment)):
            result = make()
    except GradcliError as error:
        return fail(error, showing, environment)
    (shown or show)(result, showing, environment)
    return verdict(result, showing)


def become(start: Callable[..., int], showing: Showing, environment: Environment) -> int:
    """Start what this process becomes, or tell why not. The output is the program's: the report goes beside it."""
    stream = environment.stderr
    shown = {
        "format": showing.format, "precision": showing.precision, "quiet": showing.quiet, "verbose": showing.verbose,
        "debug": showing.debug, "width": environment.width(stream), "color": environment.color(stream, showing.color),
        "ascii": environment.plain(stream),
    }  # fmt: skip
    try:
        return start(showing=shown, strict=showing.strict)
    except GradcliError as error:
        return fail(error, showing, environment)


def verdict(result: Any, showing: Showing) -> ExitCode:
    """NO where the answer itself is "no", or --strict meets a warning."""
    warned = showing.strict and worst_level(iter(result.notes)) != "info"
    return ExitCode.NO if warned or getattr(result, "exit_no", False) else ExitCode.OK


def show(result: Any, showing: Showing, environment: Environment) -> None:
    """Write a result to standard output; with -q the notes of a table are left out."""
    from gradcli import render

    for piece in render.pieces(showing.format, result, style_of(showing, environment)):
        emit(environment.stdout, piece)


def style_of(showing: Showing, environment: Environment) -> Style:
    """How the formats are to write."""
    from gradcli import render

    stream = environment.stdout
    return render.Style(
        showing.precision, environment.width(stream), environment.color(stream, showing.color), showing.verbose,
        environment.plain(stream), showing.quiet, encoding_of(stream), environment.height(stream),
    )  # fmt: skip


def fail(error: GradcliError, showing: Showing, environment: Environment) -> ExitCode:
    """Tell an error: as an object on standard output in JSON, as text on standard error otherwise."""
    if showing.debug:
        write(environment.stderr, "".join(traceback.format_exception(error)))
    if showing.format == "json":
        from gradcli.render.jsonlines import written

        for piece in written(failures.document(error, showing.command)):
            emit(environment.stdout, piece)
    else:
        stream = environment.stderr
        write(stream, failures.text(error, environment.color(stream, showing.color), encoding_of(stream)))
    return error.exit_code


def emit(stream: TextIO, text: str) -> None:
    """Write to standard output; OutputError where that is impossible, BrokenPipeError where nobody reads."""
    try:
        write(stream, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error.strerror or str(error)) from None


def flush(stream: TextIO) -> None:
    """Write out what is buffered; OutputError where that fails."""
    try:
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error.strerror or str(error)) from None
