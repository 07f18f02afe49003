"""`gradcli batch`: JSON lines in, JSON lines out, each answered before the next is read.

A line of a file is data: it can run no code and write no file. A line that cannot be answered is answered by an error
object with its number, and the rest goes on.
"""

from __future__ import annotations

import gc
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from gradcli import commands
from gradcli.commands.command import SHOWING, Command
from gradcli.doors import failures
from gradcli.doors.documents import EXAMPLE, loaded
from gradcli.doors.environment import Environment, write
from gradcli.doors.requests import Request, request
from gradcli.doors.show import emit, flush, verdict
from gradcli.doors.subject import READERS, buffer_of, opened
from gradcli.errors import ExitCode, GradcliError
from gradcli.render import jsonlines

LONGEST = 32 << 20  # bytes of a line; the numbers in it take many times as many
_BOM = b"\xef\xbb\xbf"


def batch(
    subject: str, environment: Environment, *, precision: int | None, strict: bool, notes: bool, debug: bool
) -> ExitCode:
    """Answer every line of a file, or of standard input; NO where one was not answered, or its answer is "no".

    The options hold for every line that does not say otherwise. Raises GradcliError where the file cannot be read.
    """
    said = {"precision": precision, "strict": strict, "notes": notes, "debug": debug}
    defaults = {name: value for name, value in said.items() if value != _USUAL.get(name)}
    piped = subject == "-"
    stream = buffer_of(environment.stdin) if piped else opened(subject)
    own = not gc.isenabled()
    failed = False
    for number, line in lines(stream):
        failed |= _answer(number, line, defaults, environment, piped) is not ExitCode.OK
        flush(environment.stdout)
        if own and "torch" in sys.modules:
            own = False
            gc.freeze()  # torch itself is kept, and need not be looked through
            gc.enable()  # what a thousand answers leave in cycles is more than one process may keep
    return ExitCode.NO if failed else ExitCode.OK


_USUAL = {"precision": None, "strict": False, "notes": True, "debug": False}


def lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """The lines that hold anything, with their numbers; None for one that is too long, which is skipped unread."""
    number = 0
    while piece := stream.readline(LONGEST + 1):
        number += 1
        if len(piece) > LONGEST:
            while piece and not piece.endswith(b"\n"):
                piece = stream.readline(LONGEST)
            yield number, None
            continue
        piece = piece.removeprefix(_BOM).strip() if number == 1 else piece.strip()
        if piece:
            yield number, piece


def _answer(
    number: int, line: bytes | None, defaults: Mapping[str, Any], environment: Environment, piped: bool
) -> ExitCode:
    """Answer one line; the exit code that it would have on a command line of its own."""
    known: dict[str, Any] = {}
    command = None
    try:
        document = loaded(_text(line))
        command = document.get("command")
        known = _identity(document)
        asked = request(document, defaults)
        if piped and line is not None and b"@-" in line:
            _refuse_input(asked.keywords.values())
        result = asked.command.function(_subject(asked, environment, piped), **asked.keywords)
        told = result.document()
    except Exception as error:
        refusal = _refusal(error)
        told = failures.document(refusal, command if command in commands.NAMES else None) | {"line": number} | known
        if defaults.get("debug"):
            write(environment.stderr, "".join(traceback.format_exception(error)))
        for piece in jsonlines.written(told):
            emit(environment.stdout, piece)
        return refusal.exit_code
    for piece in jsonlines.written({**told, **known} if known else told, asked.showing.precision):
        emit(environment.stdout, piece)
    return verdict(result, asked.showing)


def _refusal(error: Exception) -> GradcliError:
    """What went wrong with a line, as the object of an error tells it."""
    if isinstance(error, GradcliError):
        return error
    if isinstance(error, (MemoryError, RecursionError)):
        what = "memory than there is" if isinstance(error, MemoryError) else "levels of nesting than can be read"
        return GradcliError("bounds", f"this needs more {what}")
    return GradcliError("internal", f"a bug in gradcli: {type(error).__name__}: {error}")


def _text(line: bytes | None) -> str:
    if line is None:
        hint = "give large tensors as files: @w.npy"
        raise GradcliError("bounds", f"the line is longer than {LONGEST >> 20} MB", hint=hint)
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise GradcliError("syntax", f"not UTF-8 text: byte {error.start + 1} of the line") from None


def _identity(document: dict[str, Any]) -> dict[str, Any]:
    """The "id" that an answer repeats. Raises GradcliError where it is neither text nor a number."""
    name = document.get("id")
    if name is None:
        return {}
    if type(name) not in (str, int, float):
        raise GradcliError("usage", '"id" is text or a number')
    return {"id": name}


def _subject(asked: Request, environment: Environment, piped: bool) -> Any:
    """The subject's text. Raises GradcliError where a line may not ask for it."""
    if asked.subject is None:
        return None
    if isinstance(asked.subject, tuple):
        return tuple(_read(one, asked.command, environment, piped) for one in asked.subject)
    return _read(asked.subject, asked.command, environment, piped)


def _refuse_input(values: Iterable[Any]) -> None:
    """Refuse `@-` as a value: standard input is being read."""
    for value in values:
        if isinstance(value, str) and _INPUT.fullmatch(value):
            raise _taken()
        if isinstance(value, (dict, tuple)):
            _refuse_input(value.values() if isinstance(value, dict) else value)


_INPUT = re.compile(r"(?:\s*\w+\s*=)?\s*@-(?::.*)?", re.DOTALL)


def _taken() -> GradcliError:
    return GradcliError("usage", "standard input holds the questions", hint="give a file, such as @w.npy")


def _read(text: str, command: Command, environment: Environment, piped: bool) -> Any:
    if text == "-" and piped:
        raise _taken()
    found = READERS[command.reads](text, environment.stdin)
    if isinstance(found, str) and command.runs(found):
        raise GradcliError("usage", "this would run code, which no line may", hint=f"gradcli {command.name} {found}")
    return found


_EVERY = ("precision", "strict", "notes", "debug")

COMMAND = Command(
    "batch", batch, "Many questions: a JSON object a line, each answered by a JSON object on a line.",
    "file", f"A file of lines such as {EXAMPLE}; - for standard input.",
    tuple(one for one in SHOWING if one.keyword in _EVERY),
    ("gradcli batch questions.jsonl",), formats=("json",),
)  # fmt: skip
