"""A question of a conversation to a command's answer: with the definitions that it needs, and the values it reads."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gradcli import commands
from gradcli.commands.command import Command, Option
from gradcli.doors.options import keywords_of, options_of, parted
from gradcli.doors.repl.state import State, shown_by
from gradcli.doors.repl.wording import spoken, told
from gradcli.doors.repl.words import divided
from gradcli.doors.show import Showing, perform
from gradcli.doors.subject import READERS
from gradcli.doors.written import meaning
from gradcli.errors import ExitCode, GradcliError

if TYPE_CHECKING:
    from gradcli.language.whole import Whole


def ask(state: State, name: str, text: str, **fixed: Any) -> tuple[State, ExitCode]:
    """Answer `:name text`; `fixed` are keywords that the name itself stands for."""
    command = commands.command(name)
    options = options_of(command)
    subjects, given = divided(text, options)
    _refuse_input(given)
    if len(subjects) > 1 and not command.several:
        raise GradcliError("usage", f":{name} takes one {command.subject}", hint="leave the quotes out")
    if not subjects and command.subject_required:
        if state.last is None:
            raise GradcliError("usage", f":{name} needs an {command.subject}", hint=f"write :{name} A*5")
        subjects = (state.last,)
    return answered(state, command, subjects, given, **fixed)


def _refuse_input(given: Mapping[int, Any]) -> None:
    """Refuse an option that would read standard input."""
    from gradcli.language.conversation import refuse_standard_input
    from gradcli.language.values import split_name

    for value in given.values():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str):
                refuse_standard_input(split_name(one)[1].strip())


def answered(
    state: State, command: Command, subjects: tuple[str, ...], given: Mapping[int, Any], **fixed: Any
) -> tuple[State, ExitCode]:
    """The answer of a command, shown; the expression that was asked about is remembered."""
    make, showing = _making(state, command, subjects, given, fixed)
    code = perform(make, showing, state.environment)
    return (replace(state, last=subjects[0]) if _takes_values(command) else state), code


def tried(state: State, text: str) -> State:
    """The same state: `text` was evaluated, and what torch refuses raised as a GradcliError."""
    make, _ = _making(state, commands.command("eval"), (text,), {}, {"notes": False})
    make()
    return state


def _making(
    state: State, command: Command, subjects: tuple[str, ...], given: Mapping[int, Any], fixed: Mapping[str, Any]
) -> tuple[Callable[[], Any], Showing]:
    """What makes the answer, and how to show it."""
    keywords, showing = _settled(state, command, options_of(command), given, fixed)
    read = [_read(command, one) for one in subjects]
    found = [_whole(state, one) for one in read] if _takes_values(command) else read
    texts = [one if isinstance(one, str) else one.text for one in found]
    if _takes_values(command):
        state.wait()
        keywords |= _values(state, [one for one in found if not isinstance(one, str)], keywords)
    subject: Any = texts[0] if len(texts) == 1 else tuple(texts) or None

    def make() -> Any:
        try:
            return spoken(command.function(subject, **keywords))
        except GradcliError as error:
            raise told(error, found, read) from error.__cause__

    return make, showing


def _takes_values(command: Command) -> bool:
    return any(option.keyword == "at" for option in command.options)


def _read(command: Command, text: str) -> Any:
    """A subject, from a file where it says so. Standard input is the conversation itself."""
    from gradcli.language.conversation import refuse_standard_input

    refuse_standard_input(text)
    return READERS[command.reads](text, sys.stdin)


def _whole(state: State, text: str) -> Whole | str:
    """A text with its definitions; what is no expression (`check` takes FILE.py:NAME) stays as it is."""
    from gradcli.language.whole import whole

    return text if re.fullmatch(r"[\w./\\-]+:\w+", text) else whole(text, state.names)


def _values(state: State, found: list[Whole], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the inputs that are read, and those that the line itself gives."""
    from gradcli.language.values import split_name

    own = {name: dict(map(split_name, keywords.get(name) or ())) for name in ("at", "const")}
    inputs = list(dict.fromkeys(name for one in found for name in one.inputs))
    if None in own["at"]:
        if len(inputs) != 1 or len(keywords["at"]) != 1:
            listed = ", ".join(inputs) or "none"
            raise GradcliError("usage", "the value does not say which input it is for", hint=f"the inputs: {listed}")
        own["at"] = {inputs[0]: own["at"][None]}
    given = {**own["at"], **own["const"]}
    values: dict[str, dict[Any, Any]] = {"at": {}, "const": {}}
    for name in inputs:
        if name in state.names.values and name not in given:
            values["const" if state.names.values[name].constant else "at"][name] = state.value_of(name)
    return {name: {**values[name], **own[name]} or None for name in values if name in keywords}


def _settled(
    state: State, command: Command, options: tuple[Option, ...], given: Mapping[int, Any], fixed: Mapping[str, Any]
) -> tuple[dict[str, Any], Showing]:
    """Keywords and showing: what the line gives, else what was set before, else the defaults."""
    written = [(one, meaning(one, given[index])) for index, one in enumerate(options) if index in given]
    showing, keywords = parted(command, keywords_of(options, written))
    explicit = {options[index].keyword for index in given}
    settings = {**{name: value for name, value in state.settings.items() if name not in explicit}, **fixed}
    if settings.get("format") not in command.formats:
        settings.pop("format", None)
    keywords |= {name: value for name, value in settings.items() if name in keywords}
    return keywords, replace(showing, **shown_by(settings))
