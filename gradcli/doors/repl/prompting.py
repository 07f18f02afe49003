"""The prompt of prompt-toolkit: keys, several lines, history across sessions, completion by Tab."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings

from gradcli.doors.environment import Environment
from gradcli.doors.repl.completing import offered
from gradcli.doors.repl.lines import unfinished, unprompted
from gradcli.doors.repl.reading import CONTINUED, PROMPT

LONGEST = 1 << 20  # bytes of the history, as prompt-toolkit keeps it: a line that begins with # before each entry


def prompted(environment: Environment, begin: Callable[[], None]) -> Iterator[str]:
    """Each text that is typed; `begin` is called when the first prompt stands there."""
    completer = _Words()
    session: PromptSession[str] = PromptSession(
        history=history(environment), completer=completer, complete_while_typing=False, key_bindings=_keys(),
        multiline=True, prompt_continuation=CONTINUED, enable_suspend=True,
    )  # fmt: skip
    while True:
        try:
            text = session.prompt(PROMPT, pre_run=begin)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        completer.seen(text)
        yield unprompted(text)


def history(environment: Environment) -> History:
    """What was typed in earlier sessions, in a file; in memory where that file cannot be."""
    home = environment.variables.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    file = Path(home) / "gradcli" / "history"
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "r+b") as kept:
            _trim(kept)
    except (OSError, ValueError):
        return InMemoryHistory()
    return _Kept(str(file))


def _trim(file: BinaryIO) -> None:
    """Leave the later half of a file that has grown too long, from the beginning of an entry on."""
    data = file.read()
    if len(data) <= LONGEST:
        return
    data = data[-LONGEST // 2 :]
    file.truncate(0)
    file.write(data[max(data.find(b"\n# "), 0) :])


class _Kept(FileHistory):
    """A history that goes on in memory where its file cannot be read or written any more."""

    def load_history_strings(self) -> Iterable[str]:
        try:
            return list(super().load_history_strings())
        except OSError:
            return []

    def store_string(self, string: str) -> None:
        try:
            super().store_string(string)
        except (OSError, UnicodeError):
            return


class _Words(Completer):
    """Offers what may stand at the cursor; names that were typed before are among it."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def seen(self, text: str) -> None:
        """Remember the names of a text."""
        self._names |= {word for word in text.replace("=", " = ").split() if word.isidentifier()}

    def get_completions(self, document: Document, complete_event: Any) -> Iterable[Completion]:
        del complete_event
        written, words = offered(document.text_before_cursor, self._names)
        return [Completion(word, start_position=-len(written)) for word in words]


def _keys() -> KeyBindings:
    """Enter ends a text that is whole, and goes on in the next line where it is not."""
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: Any) -> None:
        buffer = event.current_buffer
        if buffer.complete_state and buffer.complete_state.current_completion:
            buffer.complete_state = None
        elif unfinished(unprompted(buffer.text)) and not buffer.text.startswith(":"):
            buffer.newline(copy_margin=True)
            if buffer.document.line_count > 1 and buffer.document.lines[-2].rstrip().endswith(":"):
                buffer.insert_text("    ")
        else:
            buffer.cursor_position = len(buffer.text)
            buffer.validate_and_handle()

    return keys
