"""The commands, their options and the functions of the Python API, as they describe themselves."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable, Iterator
from importlib import import_module

import gradcli
from gradcli import commands
from gradcli.commands.command import SHOWING, Command, Option
from gradcli.doors import entrances
from writing.markdown import code, plain, table


def command_pages() -> Iterator[str]:
    """A section for each command."""
    for name in commands.NAMES:
        yield from _command(commands.command(name))
    for name in entrances.NAMES:
        yield from _command(entrances.entrance(name))


def shared_options() -> Iterable[str]:
    """The options that every command has."""
    return _options(SHOWING)


def python_functions() -> Iterator[str]:
    """A section for each function of the Python API."""
    for name in gradcli.__all__:
        function = getattr(gradcli, name)
        if inspect.isfunction(function):
            yield f"## gradcli.{name}"
            yield ""
            yield "```text"
            yield from _signature(name, inspect.signature(function))
            yield ""
            yield from (inspect.getdoc(function) or "").split("\n")
            yield "```"
            yield ""


def _command(command: Command) -> Iterator[str]:
    subject = f"{command.subject.upper()}{'...' if command.several else ''}"
    operand = subject if command.subject_required or not subject else f"[{subject}]"
    yield f"## gradcli {command.name}"
    yield ""
    yield plain(command.summary)
    yield ""
    yield "```text"
    rest = f" [{command.rest.upper()}...]" if command.rest else ""
    yield f"gradcli {command.name} [OPTIONS] {operand}{rest}".rstrip()
    yield "```"
    yield ""
    if subject:
        yield f"{code(subject)}: {plain(command.subject_help)}"
        yield ""
    if command.options:
        yield from _options((*command.options, *command.showing))
    place = "" if command.name in entrances.NAMES else f" From Python: {code(_place(command))}."
    yield f"Formats: {', '.join(map(code, command.formats))}.{place}"
    yield ""
    _, _, more = (inspect.getdoc(import_module(command.function.__module__)) or "").partition("\n\n")
    if more:
        yield from (*more.split("\n"), "")
    if command.examples:
        yield from ("```sh", *command.examples, "```", "")


def _options(options: Iterable[Option]) -> Iterator[str]:
    yield from table(("option", "meaning"), ((_spelled(one), _meaning(one)) for one in options))
    yield ""


def _spelled(option: Option) -> str:
    takes = "" if option.kind is bool else f" {option.metavar or '|'.join(option.choices) or option.kind.__name__}"
    return ", ".join(code(f"{flag}{takes}") for flag in option.flags)


def _meaning(option: Option) -> str:
    has_default = option.kind is not bool and option.default is not None
    return plain(option.help) + (f" Default: {code(str(option.default))}." if has_default else "")


def _place(command: Command) -> str:
    return f"gradcli.{command.function.__name__}"


def _signature(name: str, signature: inspect.Signature) -> Iterator[str]:
    """The parameters without their types, which the text below tells in words."""
    shown = [one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()]
    yield from textwrap.wrap(f"{name}{inspect.Signature(shown)}", 100, subsequent_indent=" " * (len(name) + 1))
