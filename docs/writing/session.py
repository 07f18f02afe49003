"""Console blocks: the commands that a reader types, each run here, and what it printed.

A command begins with `$ `; lines that begin with `> ` continue it. `gradcli` is answered in this process, because
importing torch for each would take minutes; what stands beside it in a pipeline is run as any program is. Understood:
pipelines, `> FILE` and `; echo $?` at the end.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from gradcli.doors import cli
from gradcli.doors.environment import Environment

_CODE = [";", "echo", "$?"]
_COLUMNS = "80"


@dataclass(frozen=True, slots=True)
class Command:
    """What was typed, as it stands in the block, and what the block shows below it."""

    typed: tuple[str, ...]
    shown: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(line[2:] for line in self.typed)

    @property
    def stages(self) -> list[list[str]]:
        """The words of each part of the pipeline."""
        return _split(_words(self.text), "|")


def commands(lines: Sequence[str]) -> Iterator[Command]:
    """The commands of a block. Raises ValueError for lines before the first."""
    index = 0
    while index < len(lines):
        if not lines[index].startswith("$ "):
            raise ValueError(f"not a command: {lines[index]!r}")
        start, index = index, index + 1
        while index < len(lines) and lines[index].startswith("> "):
            index += 1
        typed, shown = index, index
        while shown < len(lines) and not lines[shown].startswith("$ "):
            shown += 1
        yield Command(tuple(lines[start:typed]), tuple(lines[typed:shown]))
        index = shown


def answered(command: Command, folder: Path) -> tuple[str, ...]:
    """The lines that a command prints on a terminal when it is typed in `folder`, blanks at their ends left out."""
    words = _words(command.text)
    shows_code = words[-3:] == _CODE
    words = words[:-3] if shows_code else words
    target = words[-1] if words[-2:-1] == [">"] else None
    stages = _split(words[:-2] if target else words, "|")
    data, said, code = b"", b"", 0
    with contextlib.chdir(folder):
        for stage in stages:
            here = stage[0] == "gradcli" and stage[1:2] != ["run"]  # which becomes another program
            data, complaint, code = _gradcli(stage[1:], data) if here else _program(stage, data)
            said += complaint
        if target:
            Path(target).write_bytes(data)
            data = b""
    text = (said + data).decode() + (f"{code}\n" if shows_code else "")
    return tuple(line.rstrip() for line in text.split("\n")[:-1])


def _gradcli(words: list[str], data: bytes) -> tuple[bytes, bytes, int]:
    stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
    with (
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
        mock.patch.object(sys, "stdin", stdin),
        mock.patch.dict(os.environ, COLUMNS=_COLUMNS),
    ):
        code = cli.run(words, Environment(stdin, stdout, stderr, {}))
    return _written(stdout), _written(stderr), int(code)


def _written(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


def _program(stage: list[str], data: bytes) -> tuple[bytes, bytes, int]:
    name, *rest = stage
    ours = {"python": [sys.executable], "gradcli": [sys.executable, "-m", "gradcli"]}
    done = subprocess.run([*ours.get(name, [name]), *rest], input=data, capture_output=True)
    return done.stdout, done.stderr, done.returncode


def _words(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|>;")
    lexer.whitespace_split = True
    lexer.commenters = ""
    return list(lexer)


def _split(words: list[str], mark: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word == mark:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts
