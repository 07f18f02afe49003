"""The documentation is true: its commands print what it shows, its examples run, its links lead somewhere."""

from __future__ import annotations

import doctest
import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gradcli
from gradcli import commands
from gradcli.commands.command import SHOWING
from tests.documentation import MADE, REFERENCE, ROOT, answers, blocks, pages, print_of, prose, text_of

PAGES = [pytest.param(path, id=str(path.relative_to(ROOT))) for path in pages.paths()]


def typed() -> list[Any]:
    """A case for each command of each page."""
    cases = [(path, line) for path in pages.paths() for line, _ in pages.typed(text_of(path))]
    return [pytest.param(path, line, id=f"{path.relative_to(ROOT)}:{line}") for path, line in cases]


# What stands there is what gradcli says.


@pytest.mark.parametrize(("path", "line"), typed())
def test_commands_print_what_stands_below_them(path: Path, line: int) -> None:
    answer = answers(path)[line]
    assert list(answer.printed) == list(answer.command.shown), "python docs/refresh.py writes it anew"


@pytest.mark.parametrize("path", PAGES)
def test_made_parts_are_fresh(path: Path) -> None:
    made = pages.with_made_parts(text_of(path), MADE)
    assert pages.without_answers(made) == pages.without_answers(text_of(path)), "python docs/refresh.py writes it anew"


@pytest.mark.parametrize("path", PAGES)
def test_python_sessions_hold(path: Path) -> None:
    assert pages.tried(text_of(path), path.name) == ""


@pytest.mark.parametrize("name", [name for name in gradcli.__all__ if inspect.isfunction(getattr(gradcli, name))])
def test_docstring_examples_hold(name: str) -> None:
    said: list[str] = []
    tests = doctest.DocTestFinder(recurse=False).find(getattr(gradcli, name), name, globs={"gradcli": gradcli})
    results = [doctest.DocTestRunner().run(test, out=said.append) for test in tests]
    assert said == []
    assert sum(result.attempted for result in results) > 0, f"gradcli.{name} shows no example"


@pytest.mark.parametrize("name", [name for name in commands.NAMES if commands.command(name).becomes is None])
def test_examples_of_a_command_are_answered(name: str) -> None:
    examples = [one for one in commands.command(name).examples if ".py" not in one]  # those are about a reader's file
    assert examples
    for example in examples:
        assert print_of(f"{example}; echo $?").split("\n")[-1] in {"0", "1"}, example


# Everything is there.


@pytest.mark.parametrize("name", commands.NAMES)
def test_every_command_and_option_is_documented(name: str) -> None:
    text = text_of(REFERENCE / "commands.md")
    section = re.search(rf"^## gradcli {name}\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert section, f"{name} has no section"
    shared = text.partition("## Options of every command")[2]
    for options, told in ((commands.command(name).options, section[1]), (SHOWING, shared)):
        for flag in (flag for option in options for flag in option.flags):
            assert re.search(rf"`{re.escape(flag)}[ `]", told), f"{name} {flag}"


def test_every_page_is_reached_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    reached = {target for target, _ in links(index)} | {index}
    assert [path for path in pages.paths() if path not in reached] == []


def links(path: Path) -> Iterator[tuple[Path, str]]:
    """The pages that a page leads to, each with the heading that it names."""
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(text_of(path))):
        if "://" not in target:
            place, _, heading = target.partition("#")
            yield ((path.parent / place).resolve() if place else path), heading


def headings(path: Path) -> set[str]:
    """The names of a page's headings, as GitHub makes them."""
    found = re.findall(r"^#+ (.*)$", prose(text_of(path)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in found}


@pytest.mark.parametrize("path", PAGES)
def test_links_lead_somewhere(path: Path) -> None:
    for target, heading in links(path):
        assert target.is_file(), target
        assert not heading or heading in headings(target), f"{target}#{heading}"


# The two commands of the README.


def steps(number: int) -> list[str]:
    scripts = [block.text for block in blocks(text_of(ROOT / "README.md")) if block.language == "sh"]
    return [step.strip() for step in scripts[number].split("&&")]


def test_the_first_command_answers_a_question() -> None:
    environment, install, question = steps(0)
    assert environment == "python3 -m venv .venv"
    assert install == ".venv/bin/pip install -c constraints.txt ."
    assert "MulBackward0" in print_of(question.removeprefix(".venv/bin/"))


def test_the_second_command_installs_what_the_tests_need() -> None:
    environment, install, check = steps(1)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (environment, check) == ("python3 -m venv .venv", ".venv/bin/pytest -n 2 --dist loadfile")
    asked = re.fullmatch(r'\.venv/bin/pip install -c constraints\.txt -e "\.\[([\w,]+)\]"', install)
    assert asked
    extras = asked[1].split(",")
    assert set(extras) <= project["optional-dependencies"].keys()
    needed = [*project["dependencies"], *(one for extra in extras for one in project["optional-dependencies"][extra])]
    pinned = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").split("\n")}
    names = {re.split(r"[\[<>=]", one)[0] for one in needed} - {"gradcli"}
    assert names <= pinned
