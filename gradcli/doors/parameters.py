"""The parameters that Typer reads, made from a command's subject and options."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from gradcli.commands.command import Command, Option
from gradcli.doors import completion
from gradcli.doors.written import meaning

Call = Callable[..., int]
Values = list[tuple[Option, Any]]


def typed(command: Command, options: tuple[Option, ...], answer: Callable[[Any, Values], int]) -> Call:
    """The function that Typer calls, its parameters made from options."""

    def call(context: typer.Context, **given: Any) -> int:
        values = [
            (option, meaning(option, given[name]))
            for index, option in enumerate(options)
            if _was_written(context, name := f"option_{index}")
        ]
        return answer(given.get("subject"), values)

    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    subject = [_subject(command)] if command.subject else []
    parameters = [context, *subject, *(_parameter(index, option) for index, option in enumerate(options))]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in parameters}
    return call


def _was_written(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


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
