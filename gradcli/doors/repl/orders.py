"""What a line that begins with a colon does: a command, a setting, a format, or one of the few orders here."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from gradcli import commands
from gradcli.commands.command import EVALUATION, SHOWING, Option
from gradcli.doors.options import options_of
from gradcli.doors.repl import asking
from gradcli.doors.repl.state import State
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


def obey(state: State, line: str) -> After:
    """Do what a line says. Raises GradcliError where it names nothing that is known."""
    name, rest = named(line)
    order = ORDERS.get(name)
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
        except GradcliError as error:
            raise GradcliError("usage", error.message.replace("--", ":", 1), hint=error.hint) from None
        if option.kind is bool and not isinstance(value, bool):
            raise GradcliError("usage", f":{_word(option)} is on or off, not '{rest}'")
        settings = {**state.settings, option.keyword: value}
        _tried(state, settings)
        return replace(state, settings=settings), ExitCode.OK

    return run


_SWITCHES = {"on": True, "off": False}


def _tried(state: State, settings: dict[str, Any]) -> None:
    """Refuse settings that no answer could have."""
    from gradcli.commands.evaluate import evaluate

    Showing(**{name: value for name, value in settings.items() if name in Showing.__slots__})
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
    lines = [f"{':const ' if one.constant else ''}{name} = {one.text}" for name, one in names.values.items()]
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
    emit(state.environment.stdout, "\n".join(_about(rest.lstrip(": ")) if rest else _overview()) + "\n")
    return state, ExitCode.OK


def _overview() -> Iterator[str]:
    yield "A = 5.0          the value of an input; W = randn(3, 3) and x = @x.npy are others"
    yield "B = A**2         a definition: what uses B later goes back to A"
    yield "sin(A)*B         a question: value and gradient"
    yield ""
    yield "A command begins with a colon, and takes the options of the command line: :grad A**2 --order 2."
    yield "Without an expression it is about the last one. :help NAME tells more of it."
    yield ""
    width = max(len(f":{name} {order.takes}") for name, order in ORDERS.items())
    for name, order in ORDERS.items():
        yield f"{f':{name} {order.takes}':{width}}  {order.help}"


def _about(name: str) -> Iterator[str]:
    if name not in ORDERS:
        raise GradcliError("usage", f"unknown command :{name}", hint=":help lists the commands")
    yield f":{name} {ORDERS[name].takes}".rstrip()
    yield f"  {ORDERS[name].help}"
    if name in commands.NAMES:
        for option in options_of(commands.command(name)):
            takes = "" if option.kind is bool else f" {option.metavar or '|'.join(option.choices) or 'N'}"
            yield f"{', '.join(option.flags)}{takes}"
            yield f"  {option.help}"


def _word(option: Option) -> str:
    return option.keyword.replace("_", "-")


def _rows() -> Iterator[tuple[str, Order]]:
    """Commands, formats of `grad`, settings: from their own tables; then the orders that only a conversation has."""
    for name in commands.NAMES:
        command = commands.command(name)
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
