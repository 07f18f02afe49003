"""Text after text until there is none: names are kept, questions answered, errors told, and on it goes."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from gradcli import commands
from gradcli.commands.command import EVALUATION, SHOWING
from gradcli.doors.environment import Environment
from gradcli.doors.repl import asking
from gradcli.doors.repl.lines import texts
from gradcli.doors.repl.loading import Loading
from gradcli.doors.repl.orders import After, obey
from gradcli.doors.repl.reading import lines_of, terminal_lines
from gradcli.doors.repl.state import State
from gradcli.doors.show import OutputError, Showing, fail, flush
from gradcli.errors import ExitCode, GradcliError

_OPTION = re.compile(r"\s--[a-z][a-z-]+")
_WAYS_OUT = frozenset({"quit", "exit", "quit()", "exit()"})


def converse(environment: Environment, options: Mapping[str, Any]) -> ExitCode:
    """Answer until the last line. Off a terminal: 1 where a line failed, as `batch` does; on a terminal 0."""
    state = begun(environment, options)
    if not environment.terminal(environment.stdin):
        gc.enable()  # many answers are no short life
        return _answered(state, texts(lines_of(environment)))
    loading = Loading()
    with terminal_lines(environment, loading.start) as lines:
        _answered(replace(state, wait=loading.wait), lines)
    return ExitCode.OK


def begun(environment: Environment, options: Mapping[str, Any]) -> State:
    """The state before the first line: the values and the settings of the command line."""
    from gradcli.language.conversation import Names, with_value
    from gradcli.language.values import split_name

    names = Names()
    for keyword, constant in (("at", False), ("const", True)):
        for text in options.get(keyword) or ():
            name, value = split_name(text)
            if name is None:
                raise GradcliError("usage", "a value needs the name of its input", hint=f"--{keyword} NAME=VALUE")
            names = with_value(names, name, value.strip(), constant)
    defaults = {one.keyword: one.default for one in (*EVALUATION, *SHOWING) if one.sets is None}
    settings = {
        name: value for name, value in options.items() if name not in {"at", "const"} and value != defaults.get(name)
    }
    Showing(**{name: value for name, value in settings.items() if name in Showing.__slots__})
    return State(environment, names, settings, lambda: None)


def _answered(state: State, lines: Iterable[str]) -> ExitCode:
    """Every text answered in turn; NO where one failed."""
    failed = False
    for text in lines:
        after, code = guarded(state, text)
        failed |= code is not ExitCode.OK
        flush(state.environment.stdout)
        if after is None:
            break
        state = after
    return ExitCode.NO if failed else ExitCode.OK


def guarded(state: State, text: str) -> After:
    """What a text does; an error is told, and leaves everything as it was."""
    try:
        return answer(state, text)
    except GradcliError as error:
        return state, fail(error, _showing(state), state.environment)
    except MemoryError:
        lacking = GradcliError("bounds", "this needs more memory than there is", hint="use smaller tensors")
        return state, fail(lacking, _showing(state), state.environment)
    except (OutputError, BrokenPipeError):
        raise
    except Exception as error:  # the names that were given are worth more than an end
        bug = GradcliError(
            "internal", f"a bug in gradcli: {type(error).__name__}: {error}", hint=":debug on shows more"
        )
        bug.__cause__ = error
        return state, fail(bug, _showing(state), state.environment)
    except KeyboardInterrupt:
        if not state.environment.terminal(state.environment.stdin):
            raise
        state.environment.stderr.write("interrupted\n")
        return state, ExitCode.INTERRUPTED


def answer(state: State, text: str) -> After:
    """What a text does: the state after it, and its exit code. Raises GradcliError where it is refused."""
    line = text.strip()
    if not line or line.startswith("#"):
        return state, ExitCode.OK
    if line.startswith(":"):
        return obey(state, line)
    if line in _WAYS_OUT:
        return None, ExitCode.OK
    try:
        return _told(state, text.rstrip() if text[:1].isspace() and "\n" in text else line)
    except GradcliError as error:
        if error.kind == "syntax" and "\n" not in line and _OPTION.search(line):
            error.hint = f"options stand behind a command: :grad {line}"
        raise


def _told(state: State, text: str) -> After:
    """A value, a definition, or a question."""
    from gradcli.language import conversation

    value = conversation.value_in(text, state.names)
    if value is None and conversation.only_imports(text):
        return state, ExitCode.OK
    if value is not None:
        try:
            return replace(state, names=conversation.with_value(state.names, *value)), ExitCode.OK
        except GradcliError as error:
            error.what = f"the value of {value[0]}"
            raise _in_line(error, value[1], text) from None
    found = conversation.whole(text, state.names)
    names = conversation.defined(state.names, text, found)
    asks = conversation.ends_in_question(text)
    if names is state.names or asks:
        state, code = asking.answered(state, commands.command("grad"), (text,), {})
        return (replace(state, names=names) if code in {ExitCode.OK, ExitCode.NO} else state), code
    if set(found.inputs) <= state.names.values.keys():
        asking.tried(state, text)  # what torch refuses is told where it is written
    return replace(state, names=names), ExitCode.OK


def _in_line(error: GradcliError, written: str, text: str) -> GradcliError:
    """An error in a value, told in the line that it stands in."""
    from gradcli.language.conversation import moved

    return moved(error, written, -text.rindex(written), text)


def _showing(state: State) -> Showing:
    return Showing(**{name: value for name, value in state.settings.items() if name in Showing.__slots__})
