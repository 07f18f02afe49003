"""A page as it should be: its made parts made anew, its console blocks answered, its examples tried."""

from __future__ import annotations

import doctest
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from writing.blocks import Block, blocks
from writing.session import Command, answered, commands

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent

Made = Mapping[str, Callable[[], Iterable[str]]]

_MADE = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Answered:
    """A command of a page, the number of its line, and what it printed."""

    line: int
    command: Command
    printed: tuple[str, ...]


def paths() -> list[Path]:
    """README.md and every page below docs/."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def with_made_parts(text: str, made: Made) -> str:
    """The page with what stands between `<!-- made: NAME -->` and `<!-- end -->` written by `made[NAME]`."""
    return _MADE.sub(lambda found: found[1] + "".join(f"{line}\n" for line in made[found[2]]()) + found[3], text)


def typed(text: str) -> Iterator[tuple[int, Command]]:
    """Each command of a page, with the number of its line."""
    for block in blocks(text):
        if block.language == "console":
            line = block.first + 1
            for command in commands(block.lines):
                yield line, command
                line += len(command.typed) + len(command.shown)


def run(text: str, folder: Path) -> Iterator[Answered]:
    """Answer each command of a page, in a folder that holds the page's titled blocks as files."""
    for block in blocks(text):
        if block.title is not None:
            (folder / block.title).write_text(block.text, encoding="utf-8")
    for line, command in typed(text):
        yield Answered(line, command, answered(command, folder))


def without_answers(text: str) -> str:
    """The page with nothing below its commands."""
    return with_answers(text, [Answered(line, command, ()) for line, command in typed(text)])


def with_answers(text: str, answers: Iterable[Answered]) -> str:
    """The page with what each command prints below it."""
    lines = text.split("\n")
    for one in sorted(answers, key=lambda answer: -answer.line):
        start = one.line - 1 + len(one.command.typed)
        lines[start : start + len(one.command.shown)] = one.printed
    return "\n".join(lines)


def examples(text: str) -> list[Block]:
    """The Python blocks that hold a session with `>>>`."""
    return [block for block in blocks(text) if block.language == "python" and ">>> " in block.text]


def tried(text: str, name: str) -> str:
    """Run the Python sessions of a page in order, in one namespace; what went otherwise, or nothing."""
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE)
    names: dict[str, object] = {}
    for block in examples(text):
        test = doctest.DocTestParser().get_doctest(block.text, names, name, name, block.first)
        runner.run(test, out=said.append, clear_globs=False)
        names = test.globs
    return "".join(said)
