"""What a line that begins with a colon does: a command, a setting, a format, or one of the few orders here."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from gradcli import commands
from gradcli.commands.command import EVALUATION, SHOWING, Option
from gradcli.doors import entrances
from gradcli.doors.repl import asking
from gradcli.doors.repl.helping import about, in_columns, overview
from gradcli.doors.repl.state import State, shown_by
from gradcli.doors.repl.wording import in_words
from gradcli.doors.repl.words import named
from gradcli.doors.show import Showing, emit
from gradcli.doors.written import meaning
from gradcli.errors import ExitCode, GradcliError, Span

After = tuple[State | None, ExitCode]
"""The state after a line (None: the conversation is over), and the exit code that the line would have had."""


@dataclass(frozen=True, slots=True)
class Order:
    """A name after a colon: what it does with what follows it, what that is called, and one line of help."""

    run: Callable[[State, str], After]
    takes: str
    help: str


_ALONE = re.compile(r"([^\W\d][\w-]*|\?)(?:\(\))?")
_SHELL = re.compile(r"(?:[$%!]\s*)?gradcli(?:\s+([a-z-].*))?", re.DOTALL)
_SHORT = {"q": "quit", "exit": "quit", "h": "help", "?": "help", "--help": "help", "-h": "help"}


def order_in(line: str, names: Collection[str]) -> str | None:
    """The order that a line is: with its colon, alone and without it (`help`, `exit()`), or as a shell has it.

    A name that means something in the conversation is no order. None where the line is an expression.

    >>> order_in("gradcli grad A*5", ()), order_in("help()", ()), order_in("A*5", ())
    (':grad A*5', ':help', None)
    """
    if line.startswith(":"):
        return line
    shell, alone = _SHELL.fullmatch(line), _ALONE.fullmatch(line)
    if shell and "gradcli" not in names:
        return f":{shell[1] or 'help'}"
    return f":{alone[1]}" if alone and alone[1] not in names and alone[1] in _SAID_ALONE else None


def _order(name: str) -> Order | None:
    return ORDERS.get(_SHORT.get(name, name))


def obey(state: State, line: str) -> After:
    """Do what a line says. Raises GradcliError where it names nothing that is known."""
    name, rest = named(line)
    order = _order(name)
    if name in commands.NAMES and not {"--help", "-h"}.isdisjoint(rest.split()):
        return _help(state, name)
    if name in _ELSEWHERE:
        raise GradcliError("usage", f"{name} is asked in a shell", hint=f"gradcli {name}, on a command line of its own")
    if order is None and f"--{name}" in _FLAGS:
        raise GradcliError("usage", f":{name} is an option of a command", hint=f":grad A*5 {_FLAGS[f'--{name}']}")
    if order is None:
        near = difflib.get_close_matches(name, ORDERS, 1)
        start = line.index(":")
        raise GradcliError(
            "usage", f"unknown command :{name}" if name else "a command is a name after the colon",
            source=line, span=Span(start, start + 1 + len(name)),
            hint=f"did you mean :{near[0]}?" if near else ":help lists the commands",
        )  # fmt: skip
    return order.run(state, rest)


def _command(name: str, **fixed: Any) -> Callable[[State, str], After]:
    return lambda state, rest: asking.ask(state, name, rest, **fixed)


def _set(option: Option) -> Callable[[State, str], After]:
    """Set a keyword for all that follows, or tell what it is."""

    def run(state: State, rest: str) -> After:
        if not rest:
            emit(state.environment.stdout, f"{state.settings.get(option.keyword, option.default)}\n")
            return state, ExitCode.OK
        try:
            value = _SWITCHES[rest] if option.kind is bool and rest in _SWITCHES else meaning(option, rest)
            if option.kind is bool and not isinstance(value, bool):
                raise GradcliError("usage", f":{_word(option)} is on or off, not '{rest}'")
            settings = {**state.settings, option.keyword: value}
            _tried(state, settings)
        except GradcliError as error:
            error.message = error.message.replace("--", ":", 1)
            error.hint = error.hint and in_words(error.hint)
            raise
        return replace(state, settings=settings), ExitCode.OK

    return run


_SWITCHES = {"on": True, "off": False}


def _tried(state: State, settings: dict[str, Any]) -> None:
    """Refuse settings that no answer could have."""
    from gradcli.commands.evaluate import evaluate

    Showing(**shown_by(settings))  # raises where no answer can be shown like that
    around = {one.keyword: settings[one.keyword] for one in EVALUATION if one.keyword in settings and not one.many}
    state.wait()
    evaluate("zeros(1)", notes=False, **around)


def _const(state: State, rest: str) -> After:
    from gradcli.language.conversation import with_value
    from gradcli.language.values import split_name

    name, text = split_name(rest)
    if name is None:
        raise GradcliError("usage", "a constant needs its name", hint="write :const NAME = VALUE")
    return replace(state, names=with_value(state.names, name, text.strip(), constant=True)), ExitCode.OK


def _inputs(state: State, rest: str) -> After:
    """All names, in lines that would give them again."""
    del rest
    names = state.names
    lines = [*dict.fromkeys(names.modules.values())]
    lines += [f"{':const ' if one.constant else ''}{name} = {one.text}" for name, one in names.values.items()]
    lines += [names.definitions[index].text for index in sorted(set(names.current.values()))]
    emit(state.environment.stdout, "".join(f"{one}\n" for one in lines or ["nothing has a name yet: write A = 5.0"]))
    return state, ExitCode.OK


def _forget(state: State, rest: str) -> After:
    from gradcli.language.conversation import Names, forgotten

    names = state.names
    for name in rest.replace(",", " ").split():
        names = forgotten(names, name)
    return replace(state, names=names if rest else Names()), ExitCode.OK


def _quit(state: State, rest: str) -> After:
    del state, rest
    return None, ExitCode.OK


def _help(state: State, rest: str) -> After:
    said = about(rest.lstrip(": "), ORDERS) if rest else overview(ORDERS)
    stream = state.environment.stdout
    emit(stream, "".join(f"{line}\n" for line in in_columns(said, state.environment.width(stream))))
    return state, ExitCode.OK


def _word(option: Option) -> str:
    return option.keyword.replace("_", "-")


def _rows() -> Iterator[tuple[str, Order]]:
    """Commands, formats of `grad`, settings: from their own tables; then the orders that only a conversation has."""
    for name in commands.NAMES:
        command = commands.command(name)
        if command.becomes is not None:
            continue
        yield name, Order(_command(name), command.subject.upper(), command.summary)
    for form in commands.command("grad").formats[1:]:
        if form not in commands.NAMES:
            yield form, Order(_command("grad", format=form), "EXPRESSION", f"The answer of :grad as {form}.")
    for option in (*EVALUATION, *SHOWING):
        if option.sets is None and not option.many:
            takes = "[on|off]" if option.kind is bool else f"[{option.metavar or '|'.join(option.choices) or 'N'}]"
            yield _word(option), Order(_set(option), takes, f"For all that follows: {option.help}")
    yield "const", Order(_const, "NAME = VALUE", "Give an input a value that gets no gradient.")
    yield "inputs", Order(_inputs, "", "All names, in lines that would give them again.")
    yield "forget", Order(_forget, "[NAME...]", "Forget names; all of them without one.")
    yield "help", Order(_help, "[NAME]", "This, or what a command does and which options it has.")
    yield "quit", Order(_quit, "", "Leave, as Ctrl-D does.")


ORDERS: dict[str, Order] = dict(_rows())
_SAID_ALONE = frozenset({*ORDERS, "exit", "?"})
_ELSEWHERE = frozenset({*commands.NAMES, *entrances.NAMES} - ORDERS.keys())  # what takes the whole process
_FLAGS = {
    flag: flag if option.kind is bool else f"{flag} {option.metavar or 'VALUE'}"
    for option in commands.command("grad").options
    for flag in option.flags
}
