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
from gradcli.commands.command import SHOWING, Command, Option
from gradcli.doors.arguments import arranged
from gradcli.doors.environment import Environment
from gradcli.doors.show import OutputError, Showing, become, fail, perform
from gradcli.doors.subject import READERS
from gradcli.doors.written import as_written, meaning
from gradcli.errors import ExitCode, GradcliError

UNWRITABLE = frozenset({errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT, errno.EFBIG})
_SETTINGS = {"help_option_names": ["-h", "--help"]}


def run(words: Sequence[str], environment: Environment) -> int:
    """Answer a command line; the exit code."""
    try:
        named = tuple(words[:1]) if words and words[0] in commands.NAMES else commands.NAMES
        code = application(environment, named)(
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
    except SystemExit:  # how Typer leaves where nobody reads its output any more
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
        command=next((word for word in words if word in commands.NAMES), None),
    )


def application(environment: Environment, names: Sequence[str] = commands.NAMES) -> typer.Typer:
    """The Typer application of these commands; to answer one, the others need not be made."""
    app = typer.Typer(
        name="gradcli", cls=_Group, context_settings=_SETTINGS, rich_markup_mode=None, pretty_exceptions_enable=False,
        help="Inspect the gradients of PyTorch expressions: value, .grad, requires_grad, and why.",
    )  # fmt: skip
    app.callback(invoke_without_command=True)(_callback)
    for name in names:
        command = commands.command(name)
        app.command(
            name,
            cls=_ProgramCommand if command.rest else _OperandCommand,
            context_settings=_SETTINGS,
            help=_help(command),
            short_help=command.summary,
        )(_function(command, environment))
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
        return super().parse_args(ctx, arranged(args, known, self.program))


class _ProgramCommand(_OperandCommand):
    """A command whose operand is a program, with the program's own words behind it."""

    program = True


def _help(command: Command) -> str:
    examples = "\n".join(f"  {one}" for one in command.examples)
    return f"{command.summary}\n\n\b\nExamples:\n{examples}"


def _function(command: Command, environment: Environment) -> Callable[..., int]:
    """The function that Typer calls, its parameters made from the command's options."""
    options = _options(command)

    def call(**given: Any) -> int:
        subject = given.pop("subject")
        keywords = _keywords(options, given)
        showing = Showing(
            command=command.name, **{name: keywords.pop(name) for name in list(keywords) if name in Showing.__slots__}
        )
        if command.becomes is not None:
            script, *words = subject
            return become(partial(command.becomes, script, words, **keywords), showing, environment)
        takes_notes = "notes" in inspect.signature(command.function).parameters
        if not takes_notes:
            keywords.pop("notes")

        def make() -> Any:
            return command.function(_read(command, subject, environment), **keywords)

        return perform(make, showing, environment)

    parameters = [_subject(command), *(_parameter(index, option) for index, option in enumerate(options))]
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


def _options(command: Command) -> tuple[Option, ...]:
    def fitted(option: Option) -> Option:
        if option.keyword != "format" or not option.choices:
            return option
        return Option("format", option.flags, option.help, default=command.formats[0], choices=command.formats)

    return (*command.options, *map(fitted, SHOWING))


def _subject(command: Command) -> inspect.Parameter:
    metavar = f"{command.subject.upper()}{'...' if command.several else ''}"
    metavar += f" [{command.rest.upper()}...]" if command.rest else ""
    info = typer.Argument(metavar=metavar, help=command.subject_help, show_default=False)
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
    info = typer.Option(*option.flags, help=option.help, metavar=option.metavar, show_default=shown)
    name = f"option_{index}"
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[kind, info], default=default)


def _keywords(options: tuple[Option, ...], given: dict[str, Any]) -> dict[str, Any]:
    """The keywords of the API function from what Typer read; a flag that sets a keyword wins over its default."""
    keywords: dict[str, Any] = {}
    for index, option in enumerate(options):
        value = given[f"option_{index}"]
        if option.kind is bool and option.sets is not None:
            if value:
                _set(keywords, option, option.sets, options)
            else:
                keywords.setdefault(option.keyword, option.default)
        else:
            keywords[option.keyword] = meaning(option, value)
    return keywords


def _set(keywords: dict[str, Any], option: Option, value: Any, options: tuple[Option, ...]) -> None:
    """Set a keyword by a flag; two flags that contradict each other are refused."""
    default = next(one.default for one in options if one.keyword == option.keyword)
    earlier = keywords.get(option.keyword, default)
    if earlier not in (default, None, value):
        raise GradcliError(
            "usage", f"{option.flags[0]} contradicts another option: {option.keyword} is {earlier} already"
        )
    keywords[option.keyword] = value
