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
from gradcli.doors.repl.orders import ORDERS, After, obey, order_in
from gradcli.doors.repl.reading import lines_of, terminal_lines
from gradcli.doors.repl.state import State, shown_by
from gradcli.doors.repl.wording import in_words
from gradcli.doors.repl.words import named
from gradcli.doors.show import OutputError, Showing, fail, flush
from gradcli.errors import ExitCode, GradcliError
from gradcli.report import FORMATS

_OPTION = re.compile(r"\s--[a-z][a-z-]+")


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
    Showing(**shown_by(settings))  # raises where no answer can be shown like that
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
        return state, fail(error, _showing(state, text), state.environment)
    except MemoryError:
        lacking = GradcliError("bounds", "this needs more memory than there is", hint="use smaller tensors")
        return state, fail(lacking, _showing(state, text), state.environment)
    except (OutputError, BrokenPipeError):
        raise
    except Exception as error:  # the names that were given are worth more than an end
        bug = GradcliError(
            "internal", f"a bug in gradcli: {type(error).__name__}: {error}", hint=":debug on shows more"
        )
        bug.__cause__ = error
        return state, fail(bug, _showing(state, text), state.environment)
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
    order = order_in(line, state.names.known)
    if order is not None:
        return obey(state, order)
    try:
        return _told(state, text.rstrip())
    except GradcliError as error:
        meant = _what_was_meant(line) if error.kind == "syntax" else None
        error.hint = meant or (error.hint and in_words(error.hint))
        raise


def _what_was_meant(line: str) -> str | None:
    """What to write instead of a line of Python, or of a shell, that is no expression."""
    word, _, rest = line.partition(" ")
    if "\n" in line or not rest:
        return None
    if word == "del":
        return f":forget {rest}"
    if word in ORDERS and not rest.startswith("="):
        return f"a command begins with a colon: :{line}"
    return f"options stand behind a command: :grad {line}" if _OPTION.search(line) else None


def _told(state: State, text: str) -> After:
    """A value, a definition, or a question."""
    from gradcli.language import conversation, typed
    from gradcli.language.defining import defined
    from gradcli.language.whole import whole

    if text[:1].isspace() and "\n" not in text:
        text = text.lstrip()
        typed.refuse_indented(text)
    value = typed.value_in(text, state.names)
    if value is None and typed.only_imports(text):
        return replace(state, names=conversation.imported(state.names, text)), ExitCode.OK
    if value is None and state.last is not None and typed.only_reads_grad(text):
        again, code = asking.answered(state, commands.command("grad"), (f"{state.last}\n{text}",), {})
        return replace(again, last=state.last), code
    if value is not None:
        try:
            return replace(state, names=conversation.with_value(state.names, *value)), ExitCode.OK
        except GradcliError as error:
            error.what = f"the value of {value[0]}"
            raise _in_line(error, value[1], text) from None
    found = whole(text, state.names)
    names = defined(state.names, text, found)
    asks = typed.ends_in_question(text)
    if names is state.names or asks:
        state, code = asking.answered(state, commands.command("grad"), (text,), {})
        return (replace(state, names=names) if code in {ExitCode.OK, ExitCode.NO} else state), code
    if set(found.inputs) <= state.names.values.keys():
        asking.tried(state, text)  # what torch refuses is told where it is written
    return replace(state, names=names), ExitCode.OK


def _in_line(error: GradcliError, written: str, text: str) -> GradcliError:
    """An error in a value, told in the line that it stands in."""
    from gradcli.language.whole import moved

    return moved(error, written, -text.rindex(written), text)


def _showing(state: State, text: str) -> Showing:
    """How to show the error of a text that could not be answered."""
    order = order_in(text.strip(), state.names.known)
    name = named(order)[0] if order else "grad"
    shown = shown_by(state.settings)
    if name == "json" or "--json" in text.split():
        shown |= {"format": "json"}
    asked = "grad" if name in FORMATS else name
    return Showing(**{**shown, "command": asked if asked in commands.NAMES else None})
