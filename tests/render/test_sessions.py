"""Golden sessions: exactly what a terminal of 80 columns, one of 200 columns, and a pipe show.

Each file of sessions/ is a transcript: a line that begins with `$ ` is a command, what follows is all that it says.
What a command reads stands before it, as `printf` writes it: `$ printf 'A*5\\n:code' | gradcli repl`.
`pytest --rewrite` runs the commands of each file and writes what they say now: look at the difference, then keep it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import ask

HERE = Path(__file__).parent / "sessions"
PLACES = {"terminal-80": (True, 80), "terminal-200": (True, 200), "terminal-40": (True, 40), "piped": (False, 80)}


def commands(transcript: str) -> Iterator[str]:
    return (line for line in transcript.splitlines() if line.startswith("$ "))


def answered(command: str, terminal: bool, columns: int) -> str:
    *given, asked = command.removeprefix("$ ").rsplit(" | ", 1)
    program, *words = shlex.split(asked)
    assert program == "gradcli"
    said = ask(*words, stdin=_printed(given), terminal=terminal, columns=columns, variables={"NO_COLOR": "1"})
    ending = f"[exit {said.code}]\n" if said.code else ""
    shown = "\n".join(line.rstrip() for line in f"{said.out}{said.err}".splitlines())
    return f"{command}\n{shown}\n{ending}\n"


def _printed(given: list[str]) -> str:
    """What the command before a pipe prints."""
    if not given:
        return ""
    program, text = shlex.split(given[0])
    assert program == "printf"
    return text.replace("\\n", "\n")


@pytest.mark.parametrize("place", PLACES)
def test_a_session_says_what_its_transcript_says(place: str, rewrite: bool) -> None:
    file = HERE / f"{place}.txt"
    written = file.read_text(encoding="utf-8")
    shown = "".join(answered(command, *PLACES[place]) for command in commands(written))
    if rewrite:
        file.write_text(shown, encoding="utf-8")
    assert shown == file.read_text(encoding="utf-8")


def test_the_same_commands_are_shown_everywhere() -> None:
    asked = {place: list(commands((HERE / f"{place}.txt").read_text(encoding="utf-8"))) for place in PLACES}
    assert len({tuple(one) for one in asked.values()}) == 1
    assert all(one for one in asked.values())


@pytest.mark.parametrize("place", ["terminal-80", "terminal-200", "terminal-40"])
def test_no_line_is_wider_than_its_terminal(place: str) -> None:
    """But titles, errors, JSON and Markdown, which a terminal may wrap as it likes: they are not set in columns."""
    width = PLACES[place][1]
    for part in (HERE / f"{place}.txt").read_text(encoding="utf-8").split("\n\n"):
        command, *lines = part.splitlines() or [""]
        titles = {word for word in shlex.split(command) if "(" in word}
        if not any(line.startswith("error:") for line in lines):
            assert [line for line in lines if len(line) > width and line not in titles and line[0] not in "{|"] == []


def test_no_number_is_cut() -> None:
    number = "5.916079783099616"
    for place in PLACES:
        text = (HERE / f"{place}.txt").read_text(encoding="utf-8")
        assert number in text, place
