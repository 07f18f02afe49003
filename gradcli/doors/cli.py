"""The command line: a Typer application made from the commands and their options."""

from __future__ import annotations

import errno
import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperGroup

from gradcli import __version__, commands
from gradcli.commands.command import Command, Option
from gradcli.doors import completion, entrances
from gradcli.doors.arguments import arranged
from gradcli.doors.environment import Environment
from gradcli.doors.options import keywords_of, options_of, parted
from gradcli.doors.show import PLAIN, OutputError, Screen, Showing, become, fail, perform
from gradcli.doors.subject import READERS
from gradcli.doors.written import as_written, meaning
from gradcli.errors import ExitCode, GradcliError

NAMES = (*commands.NAMES, *entrances.NAMES)
UNWRITABLE = frozenset({errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT, errno.EFBIG})
COMPLETING = "_GRADCLI_COMPLETE"  # the variable with which a shell asks for completions
_SETTINGS = {"help_option_names": ["-h", "--help"]}


def run(words: Sequence[str], environment: Environment, screen: Screen = PLAIN) -> int:
    """Answer a command line; the exit code."""
    try:
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
        name="gradcli", cls=_Group, context_settings=_SETTINGS, rich_markup_mode=None, pretty_exceptions_enable=False,
        help="Inspect the gradients of PyTorch expressions: value, .grad, requires_grad, and why.",
    )  # fmt: skip
    app.callback(invoke_without_command=True)(_callback)
    for name in names:
        own = name in entrances.NAMES
        command = entrances.entrance(name) if own else commands.command(name)
        kind = _entrance if own else _program if command.rest else partial(_question, screen=screen)
        app.command(
            name, cls=_ProgramCommand if command.rest else _OperandCommand, context_settings=_SETTINGS,
            help=_help(command), short_help=command.summary,
        )(kind(command, environment))  # fmt: skip
    return app


def _callback(
    version: Annotated[bool, typer.Option("--version", "-V", help="Show the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"gradcli {__version__}")
        raise typer.Exit(0)


class _Group(TyperGroup):
    """All commands; what stands before the command is left as it is written."""

    def get_params(self, ctx: Any) -> list[Any]:
        return as_written(super().get_params(ctx))


class _OperandCommand(TyperCommand):
    """A command whose operands may begin with a minus sign, and whose options are read by written.py."""

    program = False

    def get_params(self, ctx: Any) -> list[Any]:
        return as_written(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        takes_value = {
            flag: not getattr(one, "is_flag", False) for one in self.params for flag in one.opts if flag[:1] == "-"
        }
        known = {**takes_value, "-h": False, "--help": False}
        if ctx.resilient_parsing:
            return super().parse_args(ctx, self._so_far(args, known))
        return super().parse_args(ctx, arranged(args, known, self.program))

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Where no parameter is open: a value that bash parted from its name, `--at A=ran`."""
        found = super().shell_complete(ctx, incomplete)
        if found or not incomplete:
            return found
        subject = next(one for one in self.params if one.name == "subject")
        return list(subject.shell_complete(ctx, incomplete))

    def _so_far(self, words: list[str], takes_value: dict[str, bool]) -> list[str]:
        """The words before the one that is completed, in order as far as they can be read."""
        for end in (len(words), len(words) - 1):
            try:
                return arranged(words[:end], takes_value, self.program)
            except GradcliError:
                continue
        return []


class _ProgramCommand(_OperandCommand):
    """A command whose operand is a program, with the program's own words behind it."""

    program = True


def _help(command: Command) -> str:
    examples = "\n".join(f"  {one}" for one in command.examples)
    return f"{command.summary}\n\n\b\nExamples:\n{examples}"


Call = Callable[..., int]


def _question(command: Command, environment: Environment, screen: Screen) -> Call:
    """Ask a command, and show what it answers."""
    options = options_of(command)

    def call(subject: Any, values: Values) -> int:
        showing, keywords = parted(command, keywords_of(options, values))

        def make() -> Any:
            text = _read(command, subject, environment)
            return command.function(text, **screen.filled(command, text, keywords))

        return perform(make, showing, environment, screen.show)

    return _typed(command, options, call)


def _program(command: Command, environment: Environment) -> Call:
    """Become the program that is asked about."""
    options = options_of(command)
    start = command.becomes
    assert start is not None

    def call(subject: Any, values: Values) -> int:
        showing, keywords = parted(command, keywords_of(options, values))
        script, *words = subject
        return become(partial(start, script, words, **keywords), showing, environment)

    return _typed(command, options, call)


def _entrance(command: Command, environment: Environment) -> Call:
    """Go through another door."""

    def call(subject: Any, values: Values) -> int:
        return ExitCode(command.function(subject, environment, **keywords_of(command.options, values)))

    return _typed(command, command.options, call)


Values = list[tuple[Option, Any]]


def _typed(command: Command, options: tuple[Option, ...], answer: Callable[[Any, Values], int]) -> Call:
    """The function that Typer calls, its parameters made from options."""

    def call(**given: Any) -> int:
        values = [(option, meaning(option, given[f"option_{index}"])) for index, option in enumerate(options)]
        return answer(given.get("subject"), values)

    subject = [_subject(command)] if command.subject else []
    parameters = [*subject, *(_parameter(index, option) for index, option in enumerate(options))]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in parameters}
    return call


def _read(command: Command, subject: str | list[str] | None, environment: Environment) -> Any:
    """The subject of a command, or each of several."""
    read = READERS[command.reads]
    if isinstance(subject, list):
        texts = tuple(read(one, environment.stdin) for one in subject)
        return texts[0] if len(texts) == 1 else texts
    return None if subject is None else read(subject, environment.stdin)


def _subject(command: Command) -> inspect.Parameter:
    metavar = f"{command.subject.upper()}{'...' if command.several else ''}"
    metavar += f" [{command.rest.upper()}...]" if command.rest else ""
    info = typer.Argument(
        metavar=metavar,
        help=command.subject_help,
        show_default=False,
        autocompletion=_completing(completion.of_subject(command), subject=True),
    )  # fmt: skip
    taken: Any = list[str] if command.several or command.rest else str
    kind: Any = Annotated[taken, info] if command.subject_required else Annotated[taken | None, info]
    default = inspect.Parameter.empty if command.subject_required else None
    return inspect.Parameter("subject", inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _parameter(index: int, option: Option) -> inspect.Parameter:
    """One Typer parameter; options that set the same keyword are told apart by their place."""
    kind: Any = Literal[option.choices] if option.choices else option.kind
    default: Any = None
    if option.many:
        kind = list[str] | None
    elif option.kind is bool:
        default = False
    elif option.default is None:
        kind = kind | None
    else:
        default = option.default
    shown = option.default is not None and option.kind is not bool
    info = typer.Option(
        *option.flags, help=option.help, metavar=option.metavar, show_default=shown,
        autocompletion=_completing(completion.of_option(option)),
    )  # fmt: skip
    name = f"option_{index}"
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[kind, info], default=default)


def _completing(complete: completion.Way | None, subject: bool = False) -> Callable[..., list[tuple[str, str]]] | None:
    """A completion in the form that Typer asks for."""
    if complete is None:
        return None

    def completed(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        # bash parts a word at its `=`: in `--mode=no` the `=` was read as the value, and `no` as the subject
        parted = [
            one
            for one in ctx.command.params
            if subject and one.name != "subject" and ctx.params.get(str(one.name)) == "="
        ]
        if parted:
            return [(item.value, item.help or "") for item in parted[0].shell_complete(ctx, incomplete)]
        return list(complete(incomplete))

    return completed
