"""What must hold for every request: an answer or a GradcliError in its place, silence, and nothing left changed."""

from __future__ import annotations

import inspect
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

import torch

from gradcli import commands
from gradcli.doors import cli
from gradcli.doors.environment import Environment
from gradcli.errors import KINDS, ExitCode, GradcliError
from tests.fuzz.lines import Lines
from tests.fuzz.requests import MEMORY, Request


class Broken(AssertionError):
    """A promise that did not hold."""


def keeps(request: Request | Lines) -> str:
    """Answer a request; `ok`, or the kind of its refusal. Raises Broken where a promise does not hold."""
    with untouched():
        try:
            if isinstance(request, Lines):
                return _through(request)
            return _by_line(request) if request.format else _by_call(request)
        finally:
            _unchanged()


def _by_call(request: Request) -> str:
    function = commands.command(request.command).function
    taken = inspect.signature(function).parameters
    options = {name: value for name, value in request.options.items() if name in taken}
    try:
        answer = function(request.text, request.at, request.const, max_memory=MEMORY, **options)
    except GradcliError as error:
        _in_place(error, request)
        return error.kind
    for note in answer.notes:
        _inside(note.span, request.text, note.message)
    str(answer)
    return "ok"


def _in_place(error: GradcliError, request: Request) -> None:
    if error.kind not in KINDS or error.kind == "internal":
        raise Broken(f"the kind {error.kind} of {error.message!r}")
    if not error.message.strip() or "\n" in error.message:
        raise Broken(f"the message {error.message!r}")
    if error.span is None:
        return
    if error.source is None:
        raise Broken(f"a span without a text: {error.message}")
    if error.what == "the expression" and error.source != request.text:
        raise Broken(f"the text of {error.message!r} is {error.source!r}")
    _inside(error.span, error.source, error.message)


def _inside(span: Any, text: str, message: str) -> None:
    if span is not None and not 0 <= span[0] <= span[1] <= len(text):
        raise Broken(f"{span} lies outside the text: {message}")


def _by_line(request: Request) -> str:
    takes = {one.flags[0].lstrip("-").replace("-", "_") for one in commands.command(request.command).options}
    takes |= {"precision"}
    options = {name: value for name, value in request.options.items() if name in takes}
    asked = Request(request.text, request.at, request.const, request.command, request.format, options)
    out, err = io.StringIO(), io.StringIO()
    code = cli.run(asked.words(), Environment(io.TextIOWrapper(io.BytesIO(b"A*2")), out, err, {"TERM": "dumb"}))
    return _said(code, out.getvalue(), err.getvalue(), request)


def _said(code: ExitCode, out: str, err: str, request: Request) -> str:
    answered = code is ExitCode.OK or (code is ExitCode.NO and request.command == "check")
    if not answered and code not in {ExitCode.REQUEST, ExitCode.TORCH}:
        raise Broken(f"exit code {code}: {err}")
    if request.format == "json":
        if err or out.count("\n") != 1:
            raise Broken(f"JSON is one line, and nothing is said beside it: {out[-200:]!r} {err!r}")
        document = json.loads(out, parse_constant=_no_number)
        if (document["status"] == "ok") is not answered:
            raise Broken(f"status {document['status']} and exit code {code}")
        return "ok" if answered else str(document["error"]["kind"])
    if answered:
        if err or not out.strip():
            raise Broken(f"an answer that says {out[:80]!r}, and {err!r} beside it")
        return "ok"
    if out or not err.startswith("error") or any(line.startswith("Traceback") for line in err.split("\n")):
        raise Broken(f"a refusal that says {err!r}, and {out!r} beside it")
    if any(not (letter.isprintable() or letter == "\n") for letter in err):
        raise Broken(f"a refusal that steers the terminal: {err!r}")
    return "refused"


def _through(lines: Lines) -> str:
    """Lines through a door: an object for each of batch, answers or refusals of repl, and its exit code."""
    out, err = io.StringIO(), io.StringIO()
    given = io.TextIOWrapper(io.BytesIO(lines.text.encode("utf-8", "replace")))
    words = ["batch", "-"] if lines.door == "batch" else ["repl", "--max-memory", MEMORY]
    code = cli.run(words, Environment(given, out, err, {"TERM": "dumb"}))
    said = err.getvalue()
    if code not in {ExitCode.OK, ExitCode.NO}:
        raise Broken(f"exit code {code}: {said}")
    if "a bug in gradcli" in out.getvalue() + said or "Traceback" in said:
        raise Broken(f"a bug: {out.getvalue()[-300:]!r} {said[-300:]!r}")
    if any(not (letter.isprintable() or letter == "\n") for letter in said):
        raise Broken(f"a refusal that steers the terminal: {said!r}")
    if lines.door == "batch":
        answers = [json.loads(line, parse_constant=_no_number) for line in out.getvalue().splitlines()]
        asked = sum(bool(line.strip()) for line in lines.text.encode("utf-8", "replace").split(b"\n"))
        if said or len(answers) != asked:
            raise Broken(f"{len(answers)} answers to {asked} lines, and {said!r} beside them")
    return f"{lines.door} {'ok' if code is ExitCode.OK else 'refused'}"


def _no_number(word: str) -> None:
    raise Broken(f"{word} in JSON")


def _unchanged() -> None:
    """torch's global state is as it was."""
    if not torch.is_grad_enabled() or torch.is_inference_mode_enabled():
        raise Broken("a grad mode was left on")
    if torch.get_default_dtype() is not torch.float32:
        raise Broken("the default dtype was changed")


@contextmanager
def silence() -> Iterator[Callable[[], None]]:
    """A while in which everything that the process itself writes to its streams is caught; the call raises Broken for it."""
    with tempfile.TemporaryFile() as caught:
        kept = [(number, os.dup(number)) for number in (1, 2)]
        for number, _ in kept:
            os.dup2(caught.fileno(), number)

        def heard() -> None:
            sys.stdout.flush()
            sys.stderr.flush()
            if os.fstat(caught.fileno()).st_size:
                caught.seek(0)
                said = caught.read().decode(errors="replace")
                caught.seek(0)
                caught.truncate()
                raise Broken(f"written past the streams: {said[:300]!r}")

        python = io.StringIO()
        try:
            with redirect_stdout(python), redirect_stderr(python):
                yield heard
        finally:
            for number, copy in kept:
                os.dup2(copy, number)
                os.close(copy)
        if python.getvalue():
            raise Broken(f"printed: {python.getvalue()[:300]!r}")


# What Python's audit events tell of: a file made, changed or removed, a process, a connection.
_TOUCHING = frozenset(
    "os.remove os.rename os.rmdir os.mkdir os.truncate os.chmod os.link os.symlink os.system os.exec os.posix_spawn os.spawn "
    "subprocess.Popen socket.connect socket.bind socket.getaddrinfo shutil.rmtree shutil.move".split()
)
_touched: list[str] | None = None
_watching = False


@contextmanager
def untouched() -> Iterator[None]:
    """A while in which no file may be written, no process started, no connection made."""
    global _touched, _watching
    if not _watching:  # an audit hook stays for good
        sys.addaudithook(_audit)
        _watching = True
    _touched = []
    try:
        yield
        if _touched:
            raise Broken(f"touched: {'; '.join(_touched)}")
    finally:
        _touched = None


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if _touched is None:
        return
    writes = event == "open" and (
        (isinstance(args[1], str) and set(args[1]) & set("wax+")) or (isinstance(args[2], int) and args[2] & 0o1103)
    )
    if (writes or event in _TOUCHING) and not _of_torch(event, args):
        _touched.append(f"{event} {args[:2]}")


def _of_torch(event: str, args: tuple[Any, ...]) -> bool:
    """Some of torch's forward formulas load its compiler, which makes an empty folder for its cache."""
    return event == "os.mkdir" and os.path.basename(str(args[0])).startswith("torchinductor_")
